#include "gpumuster/inventory/yaml_document.hpp"

#include "input_lines.hpp"
#include "support/catch.hpp"

using namespace gpumuster;
using Lines = std::vector<std::string>;

namespace {

// What parse_yaml finds wrong with the text.
Lines problems_of(const std::string& text) {
    return input_lines([&] {
        Problems problems("f");
        parse_yaml(text, problems);
        problems.throw_if_any();
    });
}

YamlDocument parsed(const std::string& text) {
    Problems problems("f");
    YamlDocument document = parse_yaml(text, problems);
    problems.throw_if_any();
    REQUIRE(document.is_whole);
    return document;
}

const YamlNode& value(const YamlDocument& document, std::size_t index) {
    return *document.root->entries.at(index).value;
}

}  // namespace

TEST_CASE("a text becomes a tree with places") {
    const auto document = parsed("a: 1\nb:\n  - x\n  - \"y\"\nc:\n");
    CHECK(value(document, 0).text == "1");
    CHECK(value(document, 0).place.line == 1);
    CHECK(value(document, 0).place.column == 4);
    CHECK(value(document, 1).kind == YamlNode::Kind::sequence);
    CHECK(value(document, 1).items.at(1)->style == YamlNode::Style::quoted);
    CHECK(value(document, 1).items.at(1)->place.line == 4);
    CHECK(value(document, 2).kind == YamlNode::Kind::null);
    CHECK(value(document, 2).place.line == 5);
}

TEST_CASE("JSON reads like YAML, tabs and all") {
    const auto document =
        parsed("{\n\t\"a\": {\"b\":1,\"c\":\"x\\/y\"},\n\t\"d\": [null, \"\"]\n}\n");
    CHECK(value(document, 0).entries.at(1).value->text == "x/y");
    CHECK(value(document, 1).items.at(0)->kind == YamlNode::Kind::null);
    CHECK(value(document, 1).items.at(1)->kind == YamlNode::Kind::scalar);
}

TEST_CASE("an alias stands for the value of its anchor") {
    const auto document = parsed("a: &x {p: 1}\nb: *x\n");
    CHECK(&value(document, 0) == &value(document, 1));
    CHECK(problems_of("a: *x\n") == Lines{"f:1:4: not YAML: the referenced anchor is not defined"});
}

TEST_CASE("ways to write text that are all the same") {
    CHECK(parsed("\xef\xbb\xbf"
                 "a: 1\r\nb: 2\r\n")
              .root->entries.size() == 2);
    CHECK(value(parsed("%YAML 1.2\n---\na: 'it''s'\n...\n"), 0).text == "it's");
    CHECK(value(parsed("a: \"say \\\"hi\\\"\" # \"x\n"), 0).text == "say \"hi\"");
    CHECK(value(parsed("a: &q \"x\"\nb: !!str \"y\"\n"), 0).text == "x");
    CHECK(value(parsed("a: !!str\n  'x'\n"), 0).text == "x");
    CHECK(value(parsed("a: |\n  one \"\n"), 0).text == "one \"\n");
    CHECK(parsed("").root == nullptr);
    CHECK(parsed("# only a comment\n").root == nullptr);
}

TEST_CASE("a key that stands twice is refused") {
    CHECK(problems_of("a: 1\nb: {x: 1, x: 2}\n\"a\": 3\n") ==
          Lines{"f:2:11: \"x\" stands here a second time; the first is in line 2",
                "f:3:1: \"a\" stands here a second time; the first is in line 1"});
    CHECK(problems_of("a: {x: 1}\nb: {x: 1}\nA: 1\n").empty());
}

TEST_CASE("a number with a leading zero is refused, a text is not") {
    CHECK(problems_of("port: 022\n") ==
          Lines{"f:1:7: port 022 has a leading zero, which some programs read as octal; write it "
                "without, or \"022\" if it is a text"});
    CHECK(problems_of("- 007\n- -01\n- 00\n010: x\n").size() >= 3);
    CHECK(problems_of("a: 0\nb: \"022\"\nc: '07'\nd: 0.5\ne: node[001-128]\nf: 0x1f\ng: !!str 022\n"
                      "h: 10\n")
              .empty());
}

TEST_CASE("a merge key is refused, the text << is not") {
    CHECK(
        problems_of("a: &x {p: 1}\nb:\n  <<: *x\n") ==
        Lines{
            "f:3:3: merge keys (<<) are not supported; put what is shared into defaults or into a "
            "group"});
    CHECK(problems_of("a: <<\n\"<<\": 1\n").empty());
}

TEST_CASE("a second document is refused") {
    CHECK(problems_of("a: 1\n---\na: 2\n") ==
          Lines{"f:2:1: a second document begins here; one file holds one inventory"});
    CHECK(problems_of("- a\nb: c\n") ==
          Lines{"f:2:1: this does not belong to what stands above; check the indentation"});
    CHECK(problems_of("{\"a\": 1}\n{\"b\": 2}\n").size() == 1);
    CHECK(problems_of("---\na: 1\n...\n").empty());
}

TEST_CASE("a quote must end in its line") {
    const Lines told{"f:1:4: a quote opens here that is not closed in the same line"};
    CHECK(problems_of("a: \"open\nb: c\n") == told);
    CHECK(problems_of("a: 'open\nb: c\n") == told);
    CHECK(problems_of("a: \"two\n  lines\"\n") == told);
    CHECK(problems_of("a: \"escaped \\\"\nb: \"c\n") == told);
    CHECK(problems_of("a: 'it''s open\nb: c\n") == told);
    CHECK(problems_of("a: &x \"open\nb: c\n") == told);
}

TEST_CASE("a tag is refused unless it says what is there") {
    CHECK(problems_of("a: !vault x\nb: !!int 7\nc: !x {a: b}\nd: !!binary [a]\n") ==
          Lines{"f:1:4: the tag !vault is not supported", "f:2:4: the tag !!int is not supported",
                "f:3:4: the tag !x is not supported", "f:4:4: the tag !!binary is not supported"});
    CHECK(problems_of("a: !!str x\nb: !!map {}\nc: !!seq []\n").empty());
}

TEST_CASE("a key is a single value") {
    CHECK(problems_of("? [a]\n: b\n? {c: d}\n: e\n~: f\n") ==
          Lines{"f:1:3: a list cannot be a key", "f:3:3: a map cannot be a key",
                "f:5:1: nothing cannot be a key"});
}

TEST_CASE("bytes that are no printable text are told line by line") {
    CHECK(problems_of("a: \xff\nb: \x1b[31m\nc: x\xe2\x80\xae # \n\xc2\x85\n") ==
          Lines{"f:1:4: \"\\xff\" is not printable UTF-8 text",
                "f:2:4: \"\\x1b[31m\" is not printable UTF-8 text",
                "f:3:5: \"\\u{202e} #\" is not printable UTF-8 text",
                "f:4:1: \"\\x85\" is not printable UTF-8 text"});
    CHECK(problems_of(std::string{"a: b\0c\n", 7}).size() == 1);
    CHECK(problems_of("a: grün\t# 漢字\n").empty());
}

TEST_CASE("an error of syntax has its place and, where we know it, the way out") {
    CHECK(problems_of("a: b: c\n") == Lines{"f:1:5: not YAML: illegal map value"});
    CHECK(problems_of("a:\n\tb: c\n") ==
          Lines{"f:2:3: a tab indents this line, which YAML does not allow; use blanks"});
    CHECK(problems_of("g: [node[1-4], gpu7]\n") ==
          Lines{"f:1:9: not YAML: end of sequence flow not found; a range inside of [ ] needs "
                "quotes: \"node[1-4]\""});
    CHECK(problems_of("{\n\t\"a\": 1\n\t\"b\": 2\n}\n") ==
          Lines{"f:3:5: not YAML: end of map flow not found"});
    CHECK(problems_of("a: @x\n").size() == 1);
    CHECK(problems_of("a: {b: c\n").size() == 1);
}

TEST_CASE("deep nesting ends in a message") {
    const auto opening = GENERATE("[", "{a: ", "- ", "? ");
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += opening;
    const Lines told = problems_of(text);
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], ContainsSubstring("nested too deep"));
}

TEST_CASE("an anchor around its own alias does not end in a loop") {
    const auto document = parsed("a: &x {b: *x}\n");
    CHECK(value(document, 0).entries.at(0).value == &value(document, 0));
}
