//! Options of post-processing in other people's tools, where they are installed.

mod linters;

use heddle_arch::Params;
use heddle_arch::params::Post;
use heddle_gen::{Design, EmitOptions, emit};
use heddle_hdl::catalog;
use std::path::Path;

const fn options(pooling: bool, product: bool, median: u32, activations: u32) -> Post {
    Post {
        pooling,
        product,
        median,
        activations,
    }
}

fn printed(top: &str, post: Post) -> Design {
    let mut params = Params::from_json(include_str!("../../configs/tiny.json")).expect("legal");
    params.post = post;
    params.validate().expect("legal options");
    let block = catalog::build(top, &params).expect("the catalogue has it");
    let options = EmitOptions {
        configuration: "tiny".into(),
        version: "0.0.0".into(),
        ..EmitOptions::default()
    };
    emit(block.as_ref(), &options).unwrap_or_else(|e| panic!("{top}, {post:?}: {e}"))
}

/// Prints a block into a folder of its own and lints it.
#[track_caller]
fn clean(top: &str, post: Post) {
    let design = printed(top, post);
    let name = format!(
        "post_{top}_{}{}_{}_{}",
        u8::from(post.pooling),
        u8::from(post.product),
        post.median,
        post.activations
    );
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (file, text) in design.files() {
        std::fs::write(folder.join(file), text).expect("the file can be written");
    }
    for (file, text) in design.verilog() {
        let words = text.replace("$signed", "").replace("$unsigned", "");
        assert!(!words.contains('$'), "{name}: {file}");
        assert!(text.lines().all(|l| l.len() <= 100), "{name}: {file}");
    }
    let files: Vec<String> = design.verilog().into_iter().map(|f| f.0).collect();
    linters::lint(&folder, &design.top, &files);
}

#[test]
fn lanes_with_every_combination_of_options_are_clean() {
    for post in [
        options(true, false, 0, 0),
        options(true, true, 0, 0),
        options(true, false, 1, 0),
        options(true, true, 9, 3),
        options(true, false, 32, 8),
        options(false, false, 0, 1),
        options(false, false, 0, 8),
    ] {
        clean("post", post);
    }
}

#[test]
fn machines_with_options_are_clean() {
    for post in [
        options(true, false, 0, 0),
        options(false, false, 0, 4),
        options(true, true, 9, 8),
    ] {
        clean("top", post);
    }
}

#[test]
fn options_that_nobody_asked_for_leave_no_trace() {
    let design = printed("top", options(false, false, 0, 0));
    for (file, text) in design.verilog() {
        for word in ["pool", "median", "activat", "window", "reduction"] {
            assert!(!text.to_lowercase().contains(word), "{word} in {file}");
            assert!(!file.contains(word), "{word} in {file}");
        }
    }
    let full = printed("top", options(true, true, 9, 8));
    assert_eq!(full.top, design.top, "the top keeps its name");
    let files = |design: &Design| design.verilog().len();
    assert_eq!(files(&full), files(&design) + 3, "pool, median, activation");
}
