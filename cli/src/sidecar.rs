//! Files that lie beside a network file: none else is read, whatever a network names.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use heddle_network::Network;
use heddle_network::file::NetworkFile;
use heddle_network::stored::{StoredFile, StoredTensor, write};
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::failure::Failure;
use crate::{input, replace};

/// Bytes of weights that a network file holds itself.
const WEIGHTS_MAX: usize = 64 << 10;
/// Largest file beside a network, and most bytes that are taken of all.
const BYTES_MAX: u64 = 1 << 30;
/// What the file is, in its own words: another one is not replaced.
const METADATA: (&str, &str) = ("format", "heddle-weights-1");

/// The file of this name in the folder of a file.
///
/// # Errors
/// If it is named with a path, or a link leads out of the folder.
pub fn beside(path: &Path, name: &str) -> Result<PathBuf, String> {
    let is_plain = Path::new(name)
        .components()
        .eq([Component::Normal(OsStr::new(name))]);
    let folder = path.parent().unwrap_or(Path::new(""));
    if !is_plain || name.contains(['\\', '\0']) {
        return Err(format!(
            "is in the file {name:?}, expected the name of one in the folder of {}, without a path",
            path.display()
        ));
    }
    let file = folder.join(name);
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let found = file.canonicalize();
    let found = found.map_err(|error| format!("is in {}: {error}", file.display()))?;
    let home = folder.canonicalize();
    let home = home.map_err(|error| format!("{}: {error}", folder.display()))?;
    match found.parent() == Some(&home) {
        true => Ok(found),
        false => Err(format!(
            "is in {}, a link out of its folder, expected a file there: copy it",
            file.display()
        )),
    }
}

/// Reads the weights that a network names.
pub struct Sidecars<'a> {
    /// The network file.
    path: &'a Path,
    files: BTreeMap<String, Vec<u8>>,
    left: u64,
}

impl<'a> Sidecars<'a> {
    /// Of this network file.
    pub fn of(path: &'a Path) -> Self {
        Self {
            path,
            files: BTreeMap::new(),
            left: BYTES_MAX,
        }
    }

    /// A tensor of a file beside the network.
    ///
    /// # Errors
    /// What is wrong with the file or the tensor.
    pub fn read(&mut self, stored: &StoredFile) -> Result<StoredTensor, String> {
        let StoredFile { file, tensor } = stored;
        if !self.files.contains_key(file) {
            let bytes = self.bytes(file)?;
            self.files.insert(file.clone(), bytes);
        }
        let found = tensor_of(&self.files[file], tensor);
        let found = found.map_err(|message| format!("is in {file:?}, which {message}"))?;
        self.spend(found.values.len())?;
        Ok(found)
    }

    /// The bytes of a file beside the network.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn bytes(&mut self, file: &str) -> Result<Vec<u8>, String> {
        let place = beside(self.path, file)?;
        // Another kind may never end.
        let kind = place.metadata().map(|found| found.file_type());
        if kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir()) {
            return Err(format!(
                "is in {}, which is no regular file, expected one: copy the weights there",
                place.display()
            ));
        }
        let bytes = input::read_bytes(&place, "weights", self.left);
        let bytes = bytes.map_err(|failure| format!("is in {}", failure.lines.join(" ")))?;
        self.spend(bytes.len())?;
        Ok(bytes)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left.checked_sub(bytes as u64);
        self.left =
            left.ok_or_else(|| format!("takes more than {} MiB with others", BYTES_MAX >> 20))?;
        Ok(())
    }
}

/// A tensor of int8 in the bytes of a .safetensors file.
fn tensor_of(bytes: &[u8], name: &str) -> Result<StoredTensor, String> {
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| format!("is no whole .safetensors file: {error}"))?;
    let Ok(tensor) = file.tensor(name) else {
        let names = file.names();
        let some: Vec<&str> = names.iter().take(5).copied().collect();
        return Err(format!(
            "has no tensor {name:?}, but {} others: {some:?}",
            names.len()
        ));
    };
    if tensor.dtype() != Dtype::I8 {
        let found = tensor.dtype();
        return Err(format!("has {name:?} as {found}, expected I8"));
    }
    Ok(StoredTensor {
        shape: tensor.shape().to_vec(),
        values: tensor.data().iter().map(|&byte| byte as i8).collect(),
    })
}

/// Writes a network file, and beside it a .safetensors file with the weights if they are many.
///
/// # Errors
/// If one of them cannot be written, or another file stands there.
pub fn write_network(target: &Path, file: &NetworkFile, network: &Network) -> Result<(), Failure> {
    let layers = file.layers.iter();
    let weights = layers.filter_map(|layer| layer.kind.weights());
    let mut stored = vec![None; file.layers.len()];
    if weights.map(Vec::len).sum::<usize>() > WEIGHTS_MAX {
        let place = target.with_extension("safetensors");
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        for (stored, layer) in stored.iter_mut().zip(&file.layers) {
            *stored = layer.kind.weights().map(|_| StoredFile {
                file: name.to_string(),
                tensor: format!("{}.w", layer.name),
            });
        }
        replace::check(&place, replace::WEIGHTS)?;
        let bytes = packed(file, network, &stored);
        let bytes = bytes.map_err(|error| Failure::new(format!("{}: {error}", place.display())))?;
        replace::write(&place, replace::WEIGHTS, &bytes)?;
    }
    let text = write(file, &stored).map_err(|error| Failure::new(error.to_string()))?;
    replace::write(target, replace::NETWORK, (text + "\n").as_bytes())
}

/// The weights of the layers as a .safetensors file.
fn packed(
    file: &NetworkFile,
    network: &Network,
    stored: &[Option<StoredFile>],
) -> Result<Vec<u8>, safetensors::SafeTensorError> {
    let inputs = network.layers.len() - file.layers.len();
    let layers = network.layers[inputs..].iter().zip(stored);
    let bytes: Vec<(&str, Vec<usize>, Vec<u8>)> = layers
        .filter_map(|(layer, stored)| {
            let bytes = layer.weights.iter().map(|&weight| weight as u8);
            Some((
                &stored.as_ref()?.tensor[..],
                layer.weight_shape(),
                bytes.collect(),
            ))
        })
        .collect();
    let views = bytes.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::I8, shape.clone(), bytes)?;
        Ok((*name, view))
    });
    let views = views.collect::<Result<Vec<_>, safetensors::SafeTensorError>>()?;
    let (key, value) = METADATA;
    let metadata = [(key.to_string(), value.to_string())].into();
    safetensors::serialize(views, Some(metadata))
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn good() -> Vec<u8> {
        let bytes: Vec<u8> = (0..60).collect();
        let view = |shape: [usize; 2]| TensorView::new(Dtype::I8, shape.to_vec(), &bytes).unwrap();
        let floats = TensorView::new(Dtype::F32, vec![3, 5], &bytes).unwrap();
        let views = [
            ("a.w", view([6, 10])),
            ("b.w", view([3, 20])),
            ("c", floats),
        ];
        safetensors::serialize(views, None).unwrap()
    }

    #[test]
    fn a_tensor_has_its_shape_and_its_elements() {
        let found = tensor_of(&good(), "b.w").unwrap();
        assert_eq!(found.shape, [3, 20]);
        assert_eq!(found.values, (0..60).collect::<Vec<i8>>());
        let refused = |name| tensor_of(&good(), name).unwrap_err();
        assert_eq!(refused("c"), "has \"c\" as F32, expected I8");
        assert!(refused("d").starts_with("has no tensor \"d\", but 3 others: "));
    }

    /// Bytes of a good file are changed, or it is cut.
    #[test]
    fn damaged_files_never_panic() {
        let good = good();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut read, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mut file = good.clone();
            for _ in 0..rng.random_range(1..=4) {
                let at = rng.random_range(0..file.len());
                file[at] = match rng.random_range(0..3) {
                    0 => rng.random(),
                    1 => file[at] ^ 1 << rng.random_range(0..8),
                    _ => [0, 1, b'9', b'"', b'}', 0x80, 0xff][rng.random_range(0..7)],
                };
            }
            if rng.random_bool(0.1) {
                file.truncate(rng.random_range(0..file.len()));
            }
            match tensor_of(&file, "a.w") {
                Ok(found) => {
                    assert_eq!(found.values.len(), found.shape.iter().product::<usize>());
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
        assert!(
            read > 1000 && refused > 1000,
            "{read} read, {refused} refused"
        );
    }
}
