"""The parser's limits: text that nobody vouches for costs a bounded time."""

from forgetest.rust.parse import SOURCE_LIMIT, cpu_deadline, parse, parse_within

HOSTILE = b'r#"' * 300_000


def test_within_its_limits_the_parser_gives_the_same_tree() -> None:
    source = b"/// Adds.\npub fn add(a: u8) -> u8 { a + 1 }\n" * 2000
    tree = parse_within(source, cpu_deadline(60))
    assert tree is not None
    assert str(tree.root_node) == str(parse(source).root_node)


def test_a_text_that_costs_too_much_is_given_up() -> None:
    assert parse_within(HOSTILE, cpu_deadline(0.05)) is None


def test_after_the_deadline_nothing_is_begun() -> None:
    assert parse_within(b"fn f() {}", cpu_deadline(-1)) is None


def test_a_source_over_the_limit_is_not_parsed() -> None:
    source = b"//" + b"x" * (SOURCE_LIMIT - 2)
    assert parse_within(source, cpu_deadline(60)) is not None
    assert parse_within(source + b"x", cpu_deadline(60)) is None
