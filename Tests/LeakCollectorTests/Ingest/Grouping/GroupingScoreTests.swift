import LeakSeededRandom
import Foundation
import LeakMessage
import LeakStore
import Testing

@testable import LeakCollector

/// One form in which a leak is reported, with the parts that change from report to report.
struct ReportForm: Sendable {
    /// The values of one of many reports of a leak.
    struct Variant {
        /// The class name, with the module in some reports and without it in others.
        let className: String
        let leak: Int
        let build: Int
        var random: SeededRandom

        /// Returns an address such as `0x7f88acc69260`.
        mutating func address() -> String {
            "0x" + random.element(of: ["7", "6", "1"]) + random.hexadecimal(11)
        }

        mutating func number(_ bound: Int = 100_000) -> String { "\(1 + random.below(bound))" }

        mutating func seconds() -> String { "\(random.below(60)).\(random.below(1000))" }

        /// Returns the prefix of a line of `NSLog` and the unified log.
        mutating func logLinePrefix() -> String {
            let day = 10 + random.below(18)
            return
                "2026-11-\(day) 10:1\(random.below(10)):2\(random.below(10)).123456+0100 Shop[\(number()):\(number())] "
        }
    }

    let name: String
    let report: @Sendable (inout Variant) -> LeakReport

    private init(_ name: String, report: @escaping @Sendable (inout Variant) -> LeakReport) {
        self.name = name
        self.report = report
    }

    private static func text(
        _ name: String, _ text: @escaping @Sendable (inout Variant) -> String
    ) -> ReportForm {
        ReportForm(name) {
            var report = LeakReport()
            report.message = text(&$0)
            return report
        }
    }

    private static func fields(
        _ name: String, _ fill: @escaping @Sendable (inout LeakReport, inout Variant) -> Void
    ) -> ReportForm {
        ReportForm(name) {
            var report = LeakReport()
            report.event = .leak
            fill(&report, &$0)
            return report
        }
    }

    static let all: [ReportForm] = detectors + tests + sentences + tools + fieldForms + callStacks

    private static let detectors: [ReportForm] = [
        text("LeakedViewControllerDetector") {
            "VIEWCONTROLLER STILL IN MEMORY <\($0.className): \($0.address())>"
        },
        text("… with the app's state") {
            "VIEWCONTROLLER STILL IN MEMORY <\($0.className): \($0.address())>\napp state on leak: BACKGROUND"
        },
        text("… of a view") {
            "VIEW STILL IN MEMORY <\($0.className): \($0.address()); frame = (0 0; \($0.number(999)) 10); text = 'Jane \($0.number())'>"
        },
        text("… after the prefix of a log line") {
            "\($0.logLinePrefix())VIEW STILL IN MEMORY <\($0.className): \($0.address())>"
        },
        text("MLeaksFinder") { "Memory Leak: (\n    RootController,\n    \($0.className)\n)" },
        text("MLeaksFinder, possibly") {
            "\($0.logLinePrefix())Possibly Memory Leak.\nIn case that \($0.className) should not be dealloced, override -willDealloc in \($0.className) by returning NO.\nView-ViewController stack: (\n    RootController,\n    \($0.className)\n)"
        },
        text("FBRetainCycleDetector") {
            let rotated = ["-> \($0.className) ", "-> _block -> __NSMallocBlock__ "]
            let start = $0.random.below(2)
            return "Retain Cycle: (\n    \"\(rotated[start])\",\n    \"\(rotated[1 - start])\"\n)"
        },
        text("expectDeallocation") { "Expected deallocation of <\($0.className): \($0.address())>" },
        text("expectDeallocation, trapped") {
            "Shop/Leak.swift:\($0.number(99)): Fatal error: Expected deallocation of \($0.className)"
        },
        text("DeallocationChecker") {
            "\($0.className) not deallocated after being dismissed from its parent view controller"
        },
        text("RIBs") {
            "<<\($0.className): \($0.address())>: \($0.number())> has leaked. Objects are expected to be deallocated at this time: NSMapTable {\n[\($0.number(99))] \($0.number()) -> <\($0.className): \($0.address())>\n}\n"
        },
        text("AMLeaksFinder") { "⚠️👇🏻\n控制器泄漏:<\($0.className): \($0.address())>\n操作路径:\nRoot" },
        text("PLeakSniffer") { "Detect Possible Controller Leak: <\($0.className): \($0.address())>" },
    ]

    private static let tests: [ReportForm] = [
        text("XCTAssertNil") {
            "/Users/me\($0.number(9))/FeedTests.swift:\($0.number(99)): error: -[FeedTests.T test] : XCTAssertNil failed: \"\($0.className)\" - Instance should have been deallocated. Potential memory leak."
        },
        text("Swift Testing") {
            "✘ Test load() recorded an issue at FeedTests.swift:\($0.number(99)):9: Expectation failed: (instance → \($0.className)) == nil: Potential memory leak"
        },
        text("SpecLeaks") { "failed - test was supposed to not leak, but \($0.className) leaked on init" },
        text("Nodes") { "Expected object to deallocate: <\($0.className): \($0.address())>" },
    ]

    private static let sentences: [ReportForm] = [
        text("is still alive") { "\($0.className) is still alive after \($0.seconds()) seconds" },
        text("leak detected in") { "Memory leak detected in \($0.className)" },
        text("possible leak of") { "Possible leak of <\($0.className): \($0.address())>" },
        text("leaked") { "\($0.className) leaked" },
        text("quoted") { "object of class '\($0.className)' was not released after \($0.seconds()) s" },
        text("double quotes") { "instance of \"\($0.className)\" leaked, \($0.number()) bytes" },
        text("backticks") { "Leak of `\($0.className)` at \($0.address())" },
        text("curly quotes") { "“\($0.className)” was not deallocated" },
        text("description alone") { "<\($0.className): \($0.address())>" },
        text("mangled") {
            "$s4Shop\($0.className.withoutModule.utf8.count)\($0.className.withoutModule)C leaked"
        },
        text("JSON") { #"{"class":"\#($0.className)","bytes":\#($0.number()),"event":"leak"}"# },
        text("JSON behind words") {
            #"LEAK {"session": "\#($0.random.hexadecimal(32))", "className": "<\#($0.className): \#($0.address())>"}"#
        },
        text("NSError") {
            "Error Domain=leak Code=1 \"\($0.className) leaked\" UserInfo={NSLocalizedDescription=\($0.className) leaked, address=\($0.address())}"
        },
        text("a text and its backtrace") {
            let frames = FrameForm.all[0].stack(ofLeak: $0.leak, launch: &$0.random, build: $0.build)
            return "\($0.className) leaked\n" + frames.joined(separator: "\n")
        },
        text("words without a class") {
            "could not release screen \(["of", "in"][$0.leak % 2]) \(words[$0.leak / 2]) at \($0.address()) after \($0.seconds()) s"
        },
    ]

    private static let words = [
        "cart", "carts", "home", "page", "pages", "feed", "order", "orders", "user", "users", "item", "items",
        "list", "lists", "view", "views", "tab", "tabs", "map", "maps",
    ]

    private static let tools: [ReportForm] = [
        text("leaks, root leak") {
            "  1 (\($0.number(999)) bytes) ROOT LEAK: <\($0.className) \($0.address())> [\($0.number(99))]"
        },
        text("leaks, old") {
            "Leak: \($0.address())  size=\($0.number(99))  zone: DefaultMallocZone_\($0.address())  length: \($0.number(99))  \($0.className)  ObjC  Shop"
        },
        text("memory graph") {
            "Path to \($0.className) \($0.address()):\n  Shop.AppDelegate \($0.address())"
        },
        text("LeakCanary 2") {
            "\($0.number()) bytes retained by leaking objects\n┬───\n│ GC Root: System class\n│\n├─ com.acme.App instance\n│    Leaking: NO (App↓ is not leaking)\n╰→ com.acme.\($0.className.withoutModule) instance\n     key = \($0.random.hexadecimal(8))"
        },
        text("LeakCanary 1") {
            "* com.acme.\($0.className.withoutModule) has leaked:\n* GC ROOT static android.view.ViewConfiguration.sConfigurations\n* leaks com.acme.\($0.className.withoutModule) instance\n* Durations: watch=\($0.number())ms"
        },
        text("StrictMode") {
            "class com.acme.\($0.className.withoutModule); instances=\($0.number(9)); limit=1"
        },
        text("Android receiver") {
            "Activity com.acme.MainActivity has leaked IntentReceiver com.acme.\($0.className.withoutModule)@\($0.random.hexadecimal(7)) that was originally registered here."
        },
        text("KOOM") {
            #"{"gcPaths":[{"gcRoot":"x","instanceCount":\#($0.number(9)),"path":[{"reference":"contextClassLoader"},{"reference":"com.acme.\#($0.className.withoutModule)"}],"signature":"\#($0.random.hexadecimal(8))"}]}"#
        },
        text("leak_tracker") {
            "# The text is generated by leak_tracker.\nnotDisposed:\n  total: 1\n  objects:\n    \($0.className.withoutModule):\n      test: x\n      identityHashCode: \($0.number())"
        },
        text("Godot") { "Leaked instance: \($0.className.withoutModule):\($0.number()) - Node name: x" },
        text("JUCE") {
            "*** Leaked objects detected: \($0.number(9)) instance(s) of class \($0.className.withoutModule)"
        },
        text("GStreamer") {
            "object-alive, type-name=(string)\($0.className.withoutModule), address=(gpointer)\($0.address()), ref-count=(uint)\($0.number(9))"
        },
        text("MAUI") {
            "LeakyPage: \($0.className.withoutModule) is a zombie. GCs survived: \($0.number(9))"
        },
        text("React") {
            "Warning: Can't perform a React state update on an unmounted component. It indicates a memory leak.\n    in \($0.className.withoutModule) (at SceneView.js:\($0.number(99)))"
        },
    ]

    private static let fieldForms: [ReportForm] = [
        fields("class") { $0.className = $1.className },
        fields("class, description") { $0.className = "<\($1.className): \($1.address())>" },
        fields("class, private") {
            $0.className =
                "Shop.(unknown context at $1\($1.random.hexadecimal(8))).\($1.className.withoutModule)"
        },
        fields("class, observed") { $0.className = "NSKVONotifying_\($1.className)" },
        fields("class, generic") { $0.className = "Shop.Store<\($1.className)>" },
        fields("class, hosting") {
            $0.className = "UIHostingController<ModifiedContent<\($1.className), RootModifier>>"
        },
        fields("class and path") {
            $0.className = $1.className
            $0.stack = ["RootController", "UINavigationController", $1.className]
        },
        fields("path alone differs") {
            $0.className = "Shop.Cell"
            $0.stack = [$1.className, "UIView", "Cell"]
        },
        fields("container") {
            $0.className = "UINavigationController"
            $0.children = [$1.className]
        },
        fields("cycle") {
            let cycle = [
                $1.className, "Shop.Timer", "closure #\(1 + $1.random.below(3)) in Shop.Cart.bind()",
            ]
            let start = $1.random.below(3)
            $0.cycle = Array(cycle[start...] + cycle[..<start])
        },
        fields("fingerprint") { $0.fingerprint = ["leak", $1.className.withoutModule] },
    ]

    private static let callStacks: [ReportForm] = FrameForm.all.map { form in
        fields("call stack: \(form.name)") {
            form.fill(
                &$0, ofLeak: $1.leak, launch: &$1.random, build: form.isStripped ? 0 : $1.build)
        }
    }
}

extension String {
    fileprivate var withoutModule: String { hasPrefix("Shop.") ? String(dropFirst(5)) : self }
}

/// Quality of the grouping of one form, measured by pairs of reports.
struct GroupingScore {
    let name: String
    var groupCount = 0
    /// Number of pairs of reports that are of the same leak and in the same group.
    var correctPairs = 0
    /// Number of pairs of reports that are in the same group.
    var groupedPairs = 0
    /// Number of pairs of reports that are of the same leak.
    var leakPairs = 0

    var precision: Double { Double(correctPairs) / Double(max(1, groupedPairs)) }
    var recall: Double { Double(correctPairs) / Double(max(1, leakPairs)) }
    var f1: Double { 2 * precision * recall / max(precision + recall, .leastNonzeroMagnitude) }

    init(name: String) { self.name = name }

    init(_ form: ReportForm, leaks: Int, variants: Int) {
        name = form.name
        var groups: [LeakID: [Int: Int]] = [:]
        var random = SeededRandom(seed: 17)
        for leak in 0..<leaks {
            for variant in 0..<variants {
                let name = Self.className(leak)
                var variant = ReportForm.Variant(
                    className: random.below(2) == 0 ? name : "Shop." + name, leak: leak, build: variant % 5,
                    random: random)
                let report = form.report(&variant)
                random = variant.random
                let group = GroupingRules.groups(report, app: "shop", module: nil).first.identity.id
                groups[group, default: [:]][leak, default: 0] += 1
            }
        }
        groupCount = groups.count
        for counts in groups.values {
            correctPairs += counts.values.reduce(0) { $0 + Self.pairs($1) }
            groupedPairs += Self.pairs(counts.values.reduce(0, +))
        }
        leakPairs = leaks * Self.pairs(variants)
    }

    /// Returns similar class names, some with digits.
    private static func className(_ leak: Int) -> String {
        let beginnings = ["Cart", "Home", "Page1", "Page2", "Page12", "Feed", "FeedItem", "Order"]
        let endings = ["ViewController", "ViewModel", "Coordinator", "View", "Service"]
        return beginnings[leak / endings.count % beginnings.count] + endings[leak % endings.count]
    }

    private static func pairs(_ count: Int) -> Int { count * (count - 1) / 2 }

    static func + (one: GroupingScore, other: GroupingScore) -> GroupingScore {
        var sum = one
        sum.groupCount += other.groupCount
        sum.correctPairs += other.correctPairs
        sum.groupedPairs += other.groupedPairs
        sum.leakPairs += other.leakPairs
        return sum
    }

    var row: String {
        "| \(name) | \(groupCount) | \(Self.text(precision)) | \(Self.text(recall)) | \(Self.text(f1)) |"
    }

    private static func text(_ share: Double) -> String { String(format: "%.4f", share) }
}

@Suite struct GroupingScoreTests {
    /// True for `make grouping-score`, which compares 40 leaks with 25 reports each in every form. Otherwise 20 leaks with 6
    /// reports each are compared.
    private static let comparesManyReports = ProcessInfo.processInfo.environment["GROUPING_SCORE"] == "whole"

    @Test func `generated reports of each form are grouped by leak`() {
        let (leaks, variants) = Self.comparesManyReports ? (40, 25) : (20, 6)
        let scores = ReportForm.all.map { GroupingScore($0, leaks: leaks, variants: variants) }
        let total = scores.reduce(GroupingScore(name: "all \(scores.count) forms"), +)
        if Self.comparesManyReports {
            print("\(leaks) leaks of \(variants) reports in each form\n")
            print("| form | groups | precision | recall | F1 |\n|---|---|---|---|---|")
            for score in scores + [total] { print(score.row) }
        }
        #expect(scores.count >= 50)
        #expect(total.f1 >= 0.995)
        for score in scores {
            #expect(score.correctPairs == score.groupedPairs, "\(score.name): different leaks in one group")
            #expect(score.f1 >= 0.9, "\(score.row)")
        }
    }
}
