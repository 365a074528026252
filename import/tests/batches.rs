//! Files of a batch: each image by itself gives what the reference kernels give for all of them.

use heddle_network::Network;

use crate::files::{arrays, bytes, imported, int8, models};

const COUNT: usize = 3;

#[test]
fn the_images_of_a_batch_are_computed_one_after_another() {
    let mut arrays = arrays("batches.npz");
    let found = imported(&bytes(&mut arrays, "classifier/model"), &[]);
    assert_eq!(found.batch as usize, COUNT);
    let network = Network::from_file(found.network.expect("it runs")).expect("a network");
    let images = int8(&mut arrays, "classifier/input");
    let scores = int8(&mut arrays, "classifier/output");
    let places = bytes(&mut arrays, "classifier/output1");
    let mut seen = 0;
    for (number, image) in images.chunks_exact(images.len() / COUNT).enumerate() {
        // From rows of pixels to planes.
        let planes: Vec<i8> = (0..3)
            .flat_map(|c| image[c..].iter().step_by(3).copied())
            .collect();
        let tensors = heddle_sim::network::run(&network, &planes).unwrap();
        let values = |name: &str| {
            let at = network.layers.iter().position(|layer| layer.name == name);
            tensors[at.expect("a layer")].values.clone()
        };
        assert_eq!(
            values("output"),
            scores[5 * number..][..5],
            "image {number}"
        );
        let place: Vec<u8> = values("place").iter().map(|&byte| byte as u8).collect();
        assert_eq!(place, places[4 * number..][..4], "image {number}");
        seen += 1;
    }
    assert_eq!(seen, COUNT);
}

#[test]
fn what_mixes_images_is_refused_by_name() {
    let mut arrays = arrays("batches.npz");
    let names = models(&arrays);
    assert_eq!(names.len(), 7, "{names:?}");
    for name in names.iter().filter(|name| *name != "classifier") {
        let found = imported(&bytes(&mut arrays, &format!("{name}/model")), &[]);
        let reasons = found.reasons().join("\n");
        assert!(found.network.is_none(), "{name}");
        assert!(
            reasons.contains("of a batch of 3, expected images that do not depend on each other"),
            "{name}: {reasons}"
        );
    }
}
