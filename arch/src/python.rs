//! The constants of a header in C as a module for Python: one writer of lists, two languages.

/// The `#define`s of a generated header without HEDDLE_ in front of their names; several values are a tuple.
pub fn constants(header: &str) -> String {
    let lines = header.lines().filter(|line| !is_guard(line));
    let lines: Vec<String> = lines.map(converted).collect();
    lines.join("\n").trim_end().to_string() + "\n"
}

/// A header stands between `#ifndef NAME`, `#define NAME` and `#endif`.
fn is_guard(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    matches!(words[..], ["#ifndef" | "#define", _] | ["#endif"])
}

fn converted(line: &str) -> String {
    if let Some((name, value)) = line
        .strip_prefix("#define HEDDLE_")
        .and_then(|definition| definition.split_once(' '))
    {
        return format!("{name} = {}", plain(value));
    }
    match line.trim_matches([' ', '/', '*']) {
        "" => String::new(),
        text => format!("# {text}"),
    }
}

/// Numbers without the sign of their type.
fn plain(value: &str) -> String {
    let numbers = { value.split(", ") }.map(|number| number.trim_end_matches('u'));
    match &numbers.collect::<Vec<_>>()[..] {
        [number] => number.to_string(),
        numbers => format!("({})", numbers.join(", ")),
    }
}
