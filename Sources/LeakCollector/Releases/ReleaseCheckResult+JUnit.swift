internal import LeakStatistics
internal import LeakStore

/// The result of a release check as JUnit XML: a failure for each leak or class that fails the version, and a test for each
/// checked class. The test is skipped if the class cannot be compared, for example because it has too few checks. Classes that
/// are judged together have one test. With the verdict `cannotTell`, at least one test is skipped.
extension ReleaseCheckResult {
    /// Returns the report as XML.
    ///
    /// - Parameter address: address of the collector, for links to the pages of leaks; `nil` for no links.
    public func junit(address: String?) -> String {
        var cases: [String] = []
        var skipped = 0
        for finding in failingFindings {
            let details = [
                finding.path.isEmpty ? nil : finding.path, address.map { finding.pageAddress($0) },
            ]
            let name = "\(finding.result.rawValue): \(finding.title) (\(finding.id))"
            cases.append(
                """
                    <testcase classname="\(Self.oneLine(finding.className ?? finding.title))" \
                name="\(Self.oneLine(name))" time="0">
                      <failure type="\(finding.result.rawValue)" message="\(Self.xml(finding.evidence))">\
                \(Self.xml(details.compactMap { $0 }.joined(separator: "\n")))</failure>
                    </testcase>
                """)
        }
        for checked in classes {
            // Classes that are judged together have one test, and set-aside classes need none.
            if checked.result == .pooled || checked.result == .setAside { continue }
            let isSkipped = !checked.isDecided && checked.result != .new
            skipped += isSkipped ? 1 : 0
            let start =
                #"    <testcase classname="\#(Self.oneLine(checked.name))" name="has enough checks" time="0""#
            cases.append(
                isSkipped
                    ? "\(start)>\n      <skipped message=\"\(Self.oneLine(sentence(about: checked)))\"/>\n    </testcase>"
                    : "\(start)/>")
        }
        if let pool, pool.result == .enough, pool.undecidedClassCount > 0 {
            cases.append(
                """
                    <testcase classname="\(Self.oneLine(app))" \
                name="\(Self.oneLine(poolTitle)): has enough checks" time="0"/>
                """)
        }
        if verdict == .cannotTell, skipped == 0 {
            skipped += 1
            cases.append(
                """
                    <testcase classname="\(Self.oneLine(app))" name="can be compared" time="0">
                      <skipped message="\(Self.xml(sentence))"/>
                    </testcase>
                """)
        }
        let counts =
            #"tests="\#(cases.count)" failures="\#(failingFindings.count)" errors="0" skipped="\#(skipped)" time="0""#
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
              <testsuite name="\(Self.oneLine("Leaks of \(AppKey(app, environment: environment)) \(version)"))" \(counts)>
            \(cases.joined(separator: "\n"))
              </testsuite>
            </testsuites>

            """
    }

    /// Returns a text of one line, escaped.
    private static func oneLine(_ text: String) -> String { xml(TerminalText.text(text)) }

    /// Returns a text without the characters that XML 1.0 excludes, with markup escaped.
    private static func xml(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: escaped += "&amp;".unicodeScalars
            case 0x3C: escaped += "&lt;".unicodeScalars
            case 0x3E: escaped += "&gt;".unicodeScalars
            case 0x22: escaped += "&quot;".unicodeScalars
            case 0x0A: escaped.append(scalar)
            case 0..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: escaped.append("\u{FFFD}")
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
