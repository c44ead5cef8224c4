//@ case: add
//@ outcome: test_build_failed
