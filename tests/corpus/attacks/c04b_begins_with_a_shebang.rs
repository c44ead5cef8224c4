#!/usr/bin/env run-cargo-script
#![allow(dead_code)]
pub fn rev(s: &str) -> String {
    s.chars().rev().collect()
}
