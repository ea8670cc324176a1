import LeakCollectorSupport
import Foundation
import LeakGrammar
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct KnownLeakFileTests {
    private static let shippedPath = KnownLeakFile.shippedPath(in: RunningCollector.publicFolder)

    private func read(_ text: String) throws -> KnownLeakFile { try KnownLeakFile(Array(text.utf8)) }

    private func entry(
        _ extraFields: String = "", id: String = "a", class name: String = "UITextField"
    ) -> String {
        #"{"id":"\#(id)","class":"\#(name)","reason":"r","source":"https://example.com"\#(extraFields)}"#
    }

    @Test func `every field of an entry of a known-leaks file is read`() throws {
        let text = #"""
            {"known_leaks": [{"id": "a-1_B", "class": "UISearch*", "stack": ["Tab*", "UISearchBar"], "kind": "view",
              "systems": [{"os": "iOS", "from": "16.0", "before": "17.0"}, {"os": "tvOS"}],
              "reason": "It \"stays\".", "source": "https://example.com/a?b=c"}],
             "off": ["x"]}
            """#
        let file = try read(text)
        let known = try #require(file.entries.first)
        #expect((known.id, known.className.text, known.kind) == ("a-1_B", "UISearch*", "view"))
        #expect(known.stack.map(\.text) == ["Tab*", "UISearchBar"])
        #expect(known.systems.map(\.description) == ["iOS from 16.0, before 17.0", "tvOS"])
        #expect((known.reason, known.source) == (#"It "stays"."#, "https://example.com/a?b=c"))
        #expect(file.disabledIDs.map(\.id) == ["x"])
        #expect(try read("{}").entries == [] && read(#"{"known_leaks":[],"off":[]}"#).entries == [])
    }

    @Test(arguments: [
        ("", "the text ends too early"), ("[]", "expected an object"),
        (#"{"known":[]}"#, "expected one of the fields known_leaks, off in the file, not “known”"),
        (#"{"off":[],"off":[]}"#, "expected the field off at most once in the file"),
        (#"{"off":[1]}"#, "expected the id of an entry"),
        (#"{} {}"#, "more text after the value"),
        ("{\"off\":[\"\u{1}\"]}", "a control character in a string must be escaped"),
    ])
    func `an invalid known-leaks file is rejected`(text: String, words: String) {
        #expect { try read(text) } throws: { "\($0)" == words }
    }

    @Test(arguments: [
        (#","kind":"window""#, "expected one of view_controller, view, object, cycle"),
        (
            #","befor":"1""#,
            "expected one of the fields id, class, stack, kind, systems, reason, source in an entry, not “befor”"
        ),
        (#","systems":[{}]"#, "expected a system with the field os"),
        (#","systems":[{"os":"iOS","from":"x"}]"#, "expected a version such as 11.2"),
        (#","systems":[{"os":"iOS","from":11}]"#, "expected a version such as 11.2"),
        (
            #","systems":[{"os":"iOS","from":"11.3","before":"11.3.0"}]"#,
            "expected a version after “from” (11.3) in “before”, not 11.3.0"
        ),
        (
            #","stack":["*Field"]"#,
            "expected a class such as UITextField, or the beginning of one with * at its end, of at most 512 bytes"
        ),
    ])
    func `an invalid known-leaks entry is rejected, and the error lists the allowed values`(
        changed: String, words: String
    ) {
        let start = #"{"known_leaks":["#
        #expect { try read(start + entry(changed) + "]}") } throws: { error in
            guard let error = error as? JSONError else { return false }
            return "\(error)" == words && error.offset >= start.utf8.count
        }
    }

    @Test(arguments: ["", "*", "UI*Field", "a\\u0000b", String(repeating: "x", count: 513)])
    func `a known-leaks entry whose class is not a valid pattern is rejected`(name: String) {
        #expect(throws: JSONError.self) { try read(#"{"known_leaks":["# + entry(class: name) + "]}") }
    }

    @Test(arguments: ["javascript:alert(1)", "ftp://a", "http://a", "https://a b", "", "//example.com"])
    func `a known-leaks entry whose source is not an https URL is rejected`(source: String) {
        let text = entry().replacingOccurrences(of: "https://example.com", with: source)
        #expect(throws: JSONError.self) { try read(#"{"known_leaks":[\#(text)]}"#) }
    }

    @Test func `the error about a known-leaks entry names missing fields, or an id that is already in use`() {
        #expect {
            try read(#"{"known_leaks":[{"class":"A","reason":"r"}]}"#)
        } throws: {
            "\($0)" == "expected an entry that also has the fields id, source"
        }
        #expect {
            try read(#"{"known_leaks":[\#(entry()),\#(entry())]}"#)
        } throws: {
            "\($0)" == "expected another id: “a” is taken"
        }
    }

    @Test func `the shipped known-leaks file is read, and each entry has a source and a reason`() throws {
        let known = try KnownLeakFile.load(shipped: Self.shippedPath, own: nil)
        #expect(known.entries.count >= 10)
        #expect(known.entries.allSatisfy { $0.source.hasPrefix("https://") && $0.reason.hasSuffix(".") })
        let textField = known.entries.first { $0.className.text == "UITextField" }
        #expect(textField?.systems.map(\.description) == ["iOS from 11.2, before 11.3"])
    }

    /// Runs `body` with the path of a temporary file that contains `text`, and removes the file.
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "known-\(UUID().uuidString).json"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    @Test func `an operator's known-leaks file adds, replaces and disables entries`() throws {
        let shipped = try KnownLeakFile.load(shipped: Self.shippedPath, own: nil).entries
        let own =
            #"{"known_leaks":[\#(entry(id: "mine")),\#(entry(id: "uitextfield-ios-11-2", class: "Changed"))],"#
            + #""off":["uiswitch-ios-10"]}"#
        try withFile(own) { path in
            let known = try KnownLeakFile.load(shipped: Self.shippedPath, own: path).entries
            #expect(known.count == shipped.count)
            #expect(known.prefix(2).map(\.id) == ["mine", "uitextfield-ios-11-2"])
            #expect(known.filter { $0.id == "uitextfield-ios-11-2" }.map(\.className.text) == ["Changed"])
            #expect(!known.contains { $0.id == "uiswitch-ios-10" })
        }
    }

    @Test(arguments: [
        (
            "{\n \"known_leaks\": [\n  {\"id\": 3}]}",
            "line 3, column 10: expected an id of letters, digits, - and _"
        ),
        ("{\"off\":\n [\"uiswitch\"]}", "line 2, column 3: expected the id of an entry of known-leaks.json"),
    ])
    func `the error about a known-leaks file names the file, line and column, and says what is expected`(
        text: String, words: String
    ) throws {
        try withFile(text) { path in
            #expect {
                try KnownLeakFile.load(shipped: Self.shippedPath, own: path)
            } throws: {
                "\($0)".hasPrefix("--known-leaks \(path), \(words)")
            }
        }
    }

    @Test func `the entries of an operator's known-leaks file apply even if the shipped file is missing`()
        throws
    {
        try withFile(#"{"known_leaks":[\#(entry(id: "mine"))],"off":["uiswitch-ios-10"]}"#) { path in
            let known = try KnownLeakFile.load(shipped: nil, own: path).entries
            #expect(known.map(\.id) == ["mine"])
        }
        #expect(try KnownLeakFile.load(shipped: nil, own: nil).entries == [])
    }

    @Test func `a class that apps use too is a known leak only below a screen of the system`() throws {
        let entries = try KnownLeakFile.load(shipped: Self.shippedPath, own: nil).entries
        let screens = [
            "UIFieldEditor": "UIAlertController", "_UIVisualEffectBackdropView": "UIAlertController",
            "UINavigationBar": "UIImagePickerController",
        ]
        for (name, screen) in screens {
            let stacks = entries.filter { $0.className.text == name }.map { $0.stack.map(\.text) }
            #expect(stacks == [[screen]], "\(name)")
        }
    }

    @Test func `a missing known-leaks file keeps the collector from starting`() {
        #expect {
            _ = try RunningCollector { $0.knownLeaksFile = "/nowhere/known.json" }
        } throws: {
            "\($0)" == "--known-leaks cannot read /nowhere/known.json: No such file or directory"
        }
    }
}
