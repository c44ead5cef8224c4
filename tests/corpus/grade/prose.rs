I can not help with that, but here is a poem.
//@ case: add
//@ outcome: compile_failed
