import Foundation
import Testing

/// The contrast of the style sheet's colours, by WCAG 2.2, success criterion 1.4.3.
@Suite struct ContrastTests {
    private static let style: String = {
        let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        return (try? String(contentsOf: folder.appendingPathComponent("Public/style.css"), encoding: .utf8))
            ?? ""
    }()

    /// The variables of the light, the dark and the printed pages. A variable that a later scheme leaves out has the
    /// value of the light pages.
    private static let schemes: [[String: String]] = {
        var schemes: [[String: String]] = []
        for block in style.components(separatedBy: ":root {").dropFirst() {
            var variables = schemes.first ?? [:]
            for line in block.prefix(while: { $0 != "}" }).split(separator: ";") {
                let parts = line.split(separator: ":").map {
                    $0.trimmingCharacters(in: .whitespacesAndNewlines)
                }
                if parts.count == 2 { variables[parts[0]] = parts[1] }
            }
            schemes.append(variables)
        }
        return schemes
    }()

    /// Returns the relative luminance of a colour: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance
    private static func luminance(_ colour: String) throws -> Double {
        var digits = Array(colour.dropFirst())
        if digits.count == 3 { digits = digits.flatMap { [$0, $0] } }
        let parts = try stride(from: 0, to: 6, by: 2).map { index in
            let value = Double(try #require(Int(String(digits[index...(index + 1)]), radix: 16))) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private static func contrast(_ one: String, _ other: String) throws -> Double {
        let (first, second) = (try luminance(one), try luminance(other))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    @Test(arguments: [
        ("--new", "--new-ground"), ("--slow", "--slow-ground"), ("--good", "--good-ground"),
        ("--back", "--back-ground"), ("--text", "--open-ground"), ("--dim", "--open-ground"),
        ("--dim", "--card"), ("--dim", "--ground"), ("--text", "--card"), ("--accent", "--card"),
        ("--on-accent", "--accent"),
    ])
    func `badges and small texts have enough contrast on light, dark and printed pages`(
        text: String, ground: String
    ) throws {
        #expect(Self.schemes.count == 3)
        for scheme in Self.schemes {
            let contrast = try Self.contrast(#require(scheme[text]), #require(scheme[ground]))
            #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
        }
    }
}
