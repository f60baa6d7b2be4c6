#include "gpumuster/inventory/yaml_document.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "gpumuster/base/safe_text.hpp"
#include "gpumuster/inventory/yaml_source.hpp"

namespace gpumuster {
namespace {

using Kind = YamlNode::Kind;
using Style = YamlNode::Style;

constexpr std::string_view text_tag = "tag:yaml.org,2002:str";
constexpr std::array<std::string_view, 2> container_tags{"tag:yaml.org,2002:map",
                                                         "tag:yaml.org,2002:seq"};

// yaml-cpp counts from 0.
Place place_of(const YAML::Mark& mark) {
    return {mark.line + 1, mark.column + 1};
}

std::string shown(std::string_view text) {
    return quote_line(text, 80);
}

bool has_leading_zero(std::string_view text) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    return text.size() > 1 && text.front() == '0' &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What ends the reading although yaml-cpp would go on.
struct Refusal : YAML::ParserException {
    using ParserException::ParserException;
};

// Builds the tree from the events of yaml-cpp, whose own tree keeps two entries of one key and
// finds the first only.
class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(const YamlSource& source, Problems& problems, YamlDocument& document)
        : source_(source), problems_(problems), document_(document) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        const bool is_second = std::exchange(has_document_, true);
        if (!is_second) return;
        const bool is_announced = source_.from(place_of(mark)).substr(0, 3) == "---";
        throw Refusal(mark,
                      is_announced
                          ? "a second document begins here; one file holds one inventory"
                          : "this does not belong to what stands above; check the indentation");
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        YamlNode& node = make(Kind::null, mark, anchor);
        // The mark is that of the next token, perhaps lines below.
        const bool is_value = !open_.empty() && open_.back().key != nullptr;
        if (is_value) node.place = open_.back().key->place;
        attach(&node);
    }
    void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override { attach(anchors_.at(anchor)); }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlNode& node = make(Kind::scalar, mark, anchor);
        node.text = value;
        node.style = tag == "!" || tag == text_tag ? Style::quoted : Style::plain;
        check_scalar(node, tag, mark);
        attach(&node);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(Kind::sequence, mark, tag, anchor, style);
    }
    void OnSequenceEnd() override { open_.pop_back(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(Kind::map, mark, tag, anchor, style);
    }
    void OnMapEnd() override { open_.pop_back(); }

    // Whether what is being read stands between brackets or braces.
    bool is_in_flow() const { return !open_.empty() && open_.back().is_flow; }

private:
    // A list or map whose end has not come. `key` waits for its value.
    struct Open {
        YamlNode* node = nullptr;
        bool is_flow = false;
        const YamlNode* key = nullptr;
        std::unordered_map<std::string_view, const YamlNode*> keys;
    };

    YamlNode& make(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (document_.nodes.size() >= max_yaml_nodes) {
            throw Refusal(
                mark, fmt::format("more than {} values are too many for one file", max_yaml_nodes));
        }
        YamlNode& node = document_.nodes.emplace_back();
        node.kind = kind;
        node.place = place_of(mark);
        if (anchor != YAML::NullAnchor) anchors_[anchor] = &node;
        return node;
    }

    void open(Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              YAML::EmitterStyle::value style) {
        YamlNode& node = make(kind, mark, anchor);
        const bool is_known_tag =
            tag.size() <= 1 ||
            std::find(container_tags.begin(), container_tags.end(), tag) != container_tags.end();
        if (!is_known_tag) problems_.add(node.place, tag_message(tag));
        attach(&node);
        open_.push_back({&node, style == YAML::EmitterStyle::Flow, nullptr, {}});
    }

    static std::string tag_message(const std::string& tag) {
        constexpr std::string_view standard = "tag:yaml.org,2002:";
        const bool is_standard = tag.rfind(standard, 0) == 0;
        return fmt::format("the tag {} is not supported",
                           is_standard ? "!!" + shown(tag.substr(standard.size())) : shown(tag));
    }

    // yaml-cpp gives plain texts the tag "?", and quoted ones "!".
    void check_scalar(YamlNode& node, const std::string& tag, const YAML::Mark& mark) {
        if (tag.size() > 1 && tag != text_tag) {
            refuse(node, tag_message(tag));
            return;
        }
        if (node.style == Style::plain && has_leading_zero(node.text)) {
            refuse(node, fmt::format("{1}{0} has a leading zero, which some programs read as "
                                     "octal; write it without, or \"{0}\" if it is a text",
                                     shown(node.text), pending_key()));
            return;
        }
        // yaml-cpp takes everything up to the end of the file for a quote that is not closed.
        if (node.style == Style::quoted && !source_.closes_quote(node.place)) {
            throw Refusal(mark, "a quote opens here that is not closed in the same line");
        }
    }

    // The key whose value is being read, with a blank after it.
    std::string pending_key() const {
        const bool is_value = !open_.empty() && open_.back().key != nullptr;
        return is_value ? shown(open_.back().key->text) + " " : "";
    }

    void refuse(YamlNode& node, std::string message) {
        problems_.add(node.place, std::move(message));
        node.kind = Kind::refused;
    }

    void attach(YamlNode* node) {
        if (open_.empty()) {
            document_.root = node;
            return;
        }
        Open& parent = open_.back();
        if (parent.node->kind == Kind::sequence) {
            parent.node->items.push_back(node);
            return;
        }
        if (parent.key == nullptr) {
            parent.key = node;
            return;
        }
        add_entry(parent, {std::exchange(parent.key, nullptr), node});
    }

    void add_entry(Open& parent, YamlEntry entry) {
        const YamlNode& key = *entry.key;
        if (key.kind == Kind::refused) return;
        if (key.kind != Kind::scalar) {
            problems_.add(key.place, fmt::format("{} cannot be a key", kind_name(key)));
            return;
        }
        if (key.style == Style::plain && key.text == "<<") {
            problems_.add(key.place,
                          "merge keys (<<) are not supported; put what is shared into defaults or "
                          "into a group");
            return;
        }
        const auto [first, is_new] = parent.keys.try_emplace(key.text, &key);
        if (!is_new) {
            problems_.add(key.place,
                          fmt::format("\"{}\" stands here a second time; the first is in "
                                      "line {}",
                                      shown(key.text), first->second->place.line));
            return;
        }
        parent.node->entries.push_back(entry);
    }

    const YamlSource& source_;
    Problems& problems_;
    YamlDocument& document_;
    bool has_document_ = false;
    std::vector<Open> open_;
    std::unordered_map<YAML::anchor_t, YamlNode*> anchors_;
};

std::string syntax_message(const YAML::Exception& error, const YamlSource& source,
                           bool is_in_flow) {
    const Place place = place_of(error.mark);
    // Between brackets, as in JSON, a tab is as good as a blank.
    if (!is_in_flow && source.is_indented_by_tab(place.line)) {
        return "a tab indents this line, which YAML does not allow; use blanks";
    }
    const std::string_view rest = source.from(place);
    const bool is_bare_range = !rest.empty() && rest.front() == '[';
    return fmt::format("not YAML: {}{}", shown(error.msg),
                       is_bare_range ? "; a range inside of [ ] needs quotes: \"node[1-4]\"" : "");
}

}  // namespace

YamlDocument parse_yaml(std::string_view text, Problems& problems) {
    YamlDocument document;
    const YamlSource source(text);
    if (!source.is_text(problems)) return document;
    TreeBuilder builder(source, problems, document);
    try {
        std::istringstream stream{std::string{text}};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {
        }
        document.is_whole = true;
    } catch (const Refusal& error) {
        problems.add(place_of(error.mark), error.msg);
    } catch (const YAML::DeepRecursion& error) {
        problems.add(place_of(error.mark), "lists and maps are nested too deep");
    } catch (const YAML::Exception& error) {
        problems.add(place_of(error.mark), syntax_message(error, source, builder.is_in_flow()));
    }
    return document;
}

std::string_view kind_name(const YamlNode& node) {
    switch (node.kind) {
        case Kind::null:
            return "nothing";
        case Kind::sequence:
            return "a list";
        case Kind::map:
            return "a map";
        case Kind::scalar:
        case Kind::refused:
            break;
    }
    return "a single value";
}

}  // namespace gpumuster
