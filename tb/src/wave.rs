use std::ffi::CString;
use std::fs::File;
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
