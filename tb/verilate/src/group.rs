use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

/// Runs a command in a group of processes that ends when input 0 ends.
const SCRIPT: &str = r#"
exec 3<&0 </dev/null
"$@" 3<&- &
own=$!
{ read -r _ <&3; kill -s TERM 0; } >/dev/null 2>&1 &
watch=$!
wait "$own"
code=$?
kill "$watch"
exit "$code"
"#;

/// As [`Command::output`]; the command and all that it starts end with this process, however that ends.
pub(crate) fn output(command: &Command) -> io::Result<Output> {
    let mut group = Command::new("/bin/sh");
    group.args(["-c", SCRIPT, "sh"]);
    group.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => group.env(name, value),
            None => group.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        group.current_dir(folder);
    }
    group
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = group.spawn()?;
    // The system closes it when this process is killed.
    let input = child.stdin.take();
    let output = child.wait_with_output();
    drop(input);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_texts_folder_and_environment_are_those_of_the_command() {
        let mut command = Command::new("sh");
        command
            .args([
                "-c",
                "echo \"$1 $A $PWD\"; echo bad >&2; exit 7",
                "x",
                "a  b",
            ])
            .env("A", "c d")
            .current_dir("/");
        let output = output(&command).unwrap();
        assert_eq!(output.status.code(), Some(7));
        assert_eq!(output.stdout, b"a  b c d /\n");
        assert_eq!(output.stderr, b"bad\n");
    }
}
