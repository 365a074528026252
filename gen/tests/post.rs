//! Options of post-processing in other people's tools, where they are installed.

use crate::linters;
use heddle_arch::params::Post;
use heddle_gen::Design;

const fn options(pooling: bool, product: bool, median: u32, activations: u32) -> Post {
    Post {
        pooling,
        product,
        median,
        activations,
        // Every second one of them.
        left_shift: product,
        dual_scale: product,
        columns_per_multiplier: if product { 2 } else { 1 },
    }
}

fn printed(top: &str, post: Post) -> Design {
    let mut params = linters::printed::tiny();
    params.post = post;
    linters::printed::of_catalog(top, &params)
}

/// Prints a block into a folder of its own and lints it.
#[track_caller]
fn clean(top: &str, post: Post) {
    let name = format!(
        "post_{top}_{}{}_{}_{}",
        u8::from(post.pooling),
        u8::from(post.product),
        post.median,
        post.activations
    );
    linters::printed::clean(&name, &printed(top, post));
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
        for word in [
            "pool",
            "median",
            "activat",
            "window",
            "reduction",
            "dual",
            "raised",
        ] {
            assert!(!text.to_lowercase().contains(word), "{word} in {file}");
            assert!(!file.contains(word), "{word} in {file}");
        }
    }
    let full = printed("top", options(true, true, 9, 8));
    assert_eq!(full.top, design.top, "the top keeps its name");
    let files = |design: &Design| design.verilog().len();
    assert_eq!(
        files(&full),
        files(&design) + 5,
        "pool, median, activation, left shift, shared multiplier"
    );
}
