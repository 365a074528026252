//! Tables that a host has kept in a file.

use super::examples::{asymmetric, asymmetric_c, bench, names};
use super::layer::Layer;
use super::shapes::{POINT, lists};
use heddle_blocks::offsets::{Convolution, Request, Tables, generate};

/// 5.3 with its weights from this word on.
fn request(weight_base: u32) -> Request {
    Request {
        convolution: Some(Convolution {
            channels: 2,
            height: 6,
            width: 7,
            outputs: 2,
            images: 2,
            kernel: [2, 3],
            stride: [1, 2],
            dilation: [2, 1],
            ..POINT
        }),
        element_bytes: 2,
        fully_connected: None,
        matrix: None,
        unit_shift: 0,
        running: false,
        reuse_order: false,
        weight_base: Some(weight_base),
    }
}

/// 5.3 by the tables of a file, weights where the file says.
fn layer(path: &std::path::Path) -> Layer {
    let bytes = std::fs::read(path).expect("the file is there");
    let tables = Tables::from_bytes(&bytes).expect("the file is sound");
    Layer {
        lists: lists(&tables),
        b_origin: tables.weight_base.expect("a weight base") as u16,
        ..asymmetric()
    }
}

#[proves("SGCR-18", "SGCR-21")]
#[test]
fn tables_from_files_give_one_result_after_every_reset() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [3, 20].map(|base| {
        let path = folder.path().join(format!("{base}.hdot"));
        let tables = generate(&request(base)).expect("tables of 5.3");
        let bytes = tables.to_bytes().expect("sound tables");
        std::fs::write(&path, bytes).expect("written");
        path
    });
    // The files differ in the place of the weights and their checksum alone.
    let [near, far] = files.each_ref().map(|path| {
        let bytes = std::fs::read(path).expect("the file is there");
        let words = bytes.chunks(4).map(<[u8]>::to_vec);
        words.collect::<Vec<_>>()
    });
    let differ = near.iter().zip(&far).filter(|(a, b)| a != b).count();
    assert_eq!((near.len(), differ), (far.len(), 2));
    for path in &files {
        // Memories and registers of a new design hold anything.
        let mut bench = bench();
        for name in names() {
            let run = bench.run_one(&name, &layer(path));
            assert_eq!(run.sums(), asymmetric_c(), "{name}, {}", path.display());
        }
    }
}
