use std::ffi::CString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::ModelError;

/// Checks that the file can be written, and gives its path to C++.
pub(crate) fn prepare(path: &Path) -> Result<CString, ModelError> {
    let refuse = |reason: String| ModelError::Wave {
        path: path.to_path_buf(),
        reason,
    };
    File::create(path).map_err(|e| refuse(e.to_string()))?;
    CString::new(path.as_os_str().as_encoded_bytes())
        .map_err(|_| refuse("the path contains a zero byte".into()))
}

/// Checks a finished file; `error` is what the model said about it.
pub(crate) fn check(path: &Path, error: i32) -> Result<(), ModelError> {
    let refuse = |reason: String| ModelError::Wave {
        path: path.to_path_buf(),
        reason,
    };
    if error != 0 {
        return Err(refuse(io::Error::from_raw_os_error(error).to_string()));
    }
    let fst = path.extension().is_some_and(|end| end == "fst");
    match !fst || is_complete(path).map_err(|e| refuse(e.to_string()))? {
        true => Ok(()),
        false => Err(refuse(
            "the file is not complete, the disk may be full".into(),
        )),
    }
}

/// Whether a file consists of whole blocks of FST, names and geometry among them: its writer says nothing of a full disk.
/// A block is its kind, the length of the rest with 8 bytes, and that rest.
fn is_complete(path: &Path) -> io::Result<bool> {
    const GEOMETRY: u8 = 3;
    const NAMES: [u8; 3] = [4, 6, 7];
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    let (mut at, mut geometry, mut names) = (0, false, false);
    while at < end {
        let mut head = [0; 9];
        file.seek(SeekFrom::Start(at))?;
        if file.read_exact(&mut head).is_err() {
            return Ok(false);
        }
        let length = head[1..]
            .iter()
            .fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        geometry |= head[0] == GEOMETRY;
        names |= NAMES.contains(&head[0]);
        at = match at.checked_add(length).and_then(|at| at.checked_add(1)) {
            Some(next) if length >= 8 => next,
            _ => return Ok(false),
        };
    }
    Ok(at == end && geometry && names)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use heddle_verilate::{Options, Sources, Trace, build_shared};

    use super::*;
    use crate::Model;

    const COUNTER: &str = "module counter (input wire clk, output reg [31:0] q_o);
  always @(posedge clk) q_o <= q_o + 32'd1;
endmodule
";

    /// A model of the counter that runs for a while with a wave at `path`.
    fn traced(folder: &Path, trace: Trace, path: &Path) -> Result<(), String> {
        let options = Options {
            trace,
            cache: Some(folder.to_path_buf()),
            ..Options::default()
        };
        let library = build_shared(&Sources::single("counter", COUNTER), &options).unwrap();
        let mut model = Model::load(&library).unwrap();
        model.trace_open(path).unwrap();
        model.cycles(20_000);
        let result = model.trace_finish(path);
        result.map_err(|error| error.to_string())
    }

    #[test]
    fn a_full_disk_is_an_error_and_does_not_stop_the_program() {
        let (done, result) = mpsc::channel();
        thread::spawn(move || {
            let folder = tempfile::tempdir().unwrap();
            let paths = ["good.vcd", "full.vcd"].map(|name| folder.path().join(name));
            symlink("/dev/full", &paths[1]).unwrap();
            done.send(paths.map(|path| traced(folder.path(), Trace::Vcd, &path)))
        });
        let result = result.recv_timeout(Duration::from_secs(300));
        let [good, full] = result.expect("the run comes to its end");
        assert_eq!(good, Ok(()));
        let message = full.expect_err("the disk is full");
        assert!(message.starts_with("cannot write wave "), "{message}");
        assert!(message.contains("No space left on device"), "{message}");
    }

    #[test]
    fn a_wave_that_was_cut_off_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wave.fst");
        assert_eq!(traced(folder.path(), Trace::Fst, &path), Ok(()));
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 1, 8, 9, 200, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let message = check(&path, 0).expect_err("cut off").to_string();
            let expected = "the file is not complete, the disk may be full";
            assert!(message.ends_with(expected), "{length}: {message}");
        }
    }
}
