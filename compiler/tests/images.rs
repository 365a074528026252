//! Images: what the golden machine makes of the file alone is what the golden network says.

use heddle_arch::image::Image;
use heddle_arch::job::Work;
use heddle_compiler::{NoImage, Program};
use heddle_network::Network;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::support::image::{form, from_image};
use crate::support::{
    compile_with, model, preset, random_image, random_network, random_size, whole,
};

/// LOADs and STOREs of all lists.
fn transfers(image: &Image) -> usize {
    let jobs = image.lists().into_iter().flat_map(|(_, jobs)| jobs);
    let moves = |work: &Work| matches!(work, Work::Load(_) | Work::Store(_));
    jobs.filter(|job| moves(&job.work)).count()
}

#[test]
fn models_run_from_their_images() {
    let mut seen = 0;
    for (network, machine) in [
        ("tiny", "tiny"),
        ("digits", "edge"),
        ("digits", "tflite"),
        ("mobile", "mobile"),
        ("attention", "edge"),
        ("attention", "tflite"),
    ] {
        let (network, params) = (model(network), preset(machine));
        let images = &network.images[..network.images.len().min(2)];
        for interleaved in [false, true] {
            let program = compile_with(&network, &params, whole()).unwrap();
            let user = form(&network, interleaved, false);
            let made = from_image((&program, &network), &params, images, &user);
            let made = made.unwrap_or_else(|error| panic!("{}: {error}", network.name));
            println!(
                "{} on {machine}: {} bytes, {} entries, {} transfers",
                network.name,
                made.bytes,
                made.image.ring_entries(),
                transfers(&made.image)
            );
            assert!(!images.is_empty() && transfers(&made.image) < 100);
            seen += 1;
        }
    }
    assert_eq!(seen, 12);
}

/// Programs of random networks, some of which need more than an image has.
#[test]
fn random_networks_run_from_their_images() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut seen, mut refused, mut most) = (0, 0, 0);
    while seen < 150 {
        let params = random_size(&mut rng).params();
        let layers = 1 + seen % 5;
        let network = random_network(&mut rng, layers, &params.post);
        let mut options = whole();
        options.whole = seen % 2 == 0;
        let Ok(program) = compile_with(&network, &params, options) else {
            continue;
        };
        let images = [
            random_image(&mut rng, &network),
            random_image(&mut rng, &network),
        ];
        let user = form(&network, seen % 3 == 0, seen % 4 == 1);
        match from_image((&program, &network), &params, &images, &user) {
            Ok(made) => {
                seen += 1;
                most = most.max(transfers(&made.image));
            }
            Err(error) => {
                println!("{error}");
                refused += 1;
            }
        }
    }
    println!("{seen} seen, {refused} refused, at most {most} transfers");
    assert!(refused < seen);
}

#[allow(dead_code, reason = "for the cases of refusals")]
fn refusal(program: &Program, network: &Network) -> Option<NoImage> {
    let params = preset("edge");
    let user = form(network, false, false);
    heddle_compiler::image(program, network, &params, &user).err()
}
