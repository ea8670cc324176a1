/// The differences between SQLite and PostgreSQL in statements that both stores run.
///
/// Such a statement is written in PostgreSQL's SQL, with comments and words for the differences:
///
/// | in the statement | SQLite | PostgreSQL |
/// |---|---|---|
/// | `$1::bigint` | `?1` | the same |
/// | `least(…)`, `greatest(…)` | `min(…)`, `max(…)` | the same |
/// | `collate "C"` | nothing, because SQLite compares bytes | the same |
/// | `l.id = any($1::bigint[])` | `l.id in (select value from json_each(?1))` | the same |
/// | `unnest($1::bigint[]) as j (value)` | `json_each(?1) as j` | the same |
/// | `/*! indexed by … */`, `/*! cross */` | `indexed by …`, `cross` | a comment |
/// | `LARGEST_TOTAL` | ``Total/largest`` | ``Total/largest`` |
/// | `BOUNDED_SUM(l.reports)` | the sum, limited to `LARGEST_TOTAL`; 0 without rows | as for SQLite |
/// | `BUCKET_TOTAL(b.buckets)` | the sum of a column of ``BucketCounts`` | as for SQLite |
/// | `SAMPLES(l.id)` | the samples of a leak, with their `slot` | as for SQLite |
/// | `INNERMOST_CLASS` | the last part of the class of the leak `l` | as for SQLite |
///
/// Texts in quotation marks stay as they are. A statement is translated once, when it is prepared.
package struct SQLDialect: Sendable {
    /// Returns the replacement of a word that is followed by an expression in parentheses.
    package typealias Function = @Sendable (_ expression: String) -> String

    /// Rules by the first byte of their word.
    private var rules = [[Rule]](repeating: [], count: 256)
    /// `true` at each byte that may begin a difference, or that a translation must not skip.
    private var isSpecial = [Bool](repeating: false, count: 256)
    /// `true` if parameters are written without types, as `?1`.
    private let hasUntypedParameters: Bool

    private struct Rule {
        var word: [UInt8]
        var replacement: Function
        var hasExpression: Bool
    }

    /// - Parameters:
    ///   - words: replacements by word.
    ///   - functions: replacements by word, for words that are followed by an expression in parentheses.
    package init(untypedParameters: Bool, words: [String: String], functions: [String: Function]) {
        hasUntypedParameters = untypedParameters
        for byte in "'()-$:".utf8 { isSpecial[Int(byte)] = true }
        for (word, text) in words.merging(["LARGEST_TOTAL": "\(Total.largest)"], uniquingKeysWith: { $1 }) {
            add(Rule(word: Array(word.utf8), replacement: { _ in text }, hasExpression: false))
        }
        for (word, function) in functions {
            add(Rule(word: Array("\(word)(".utf8), replacement: function, hasExpression: true))
        }
    }

    private mutating func add(_ rule: Rule) {
        rules[Int(rule.word[0])].append(rule)
        isSpecial[Int(rule.word[0])] = true
    }

    static let sqlite = SQLDialect(
        untypedParameters: true,
        words: [
            "least(": "min(", "greatest(": "max(", "collate \"C\"": "", "j (value)": "j", "/*! ": "",
            "*/": "",
            "INNERMOST_CLASS": "substr(l.class, length(rtrim(l.class, replace(l.class, '.', ''))) + 1)",
        ],
        functions: [
            "= any": { " in (select value from json_each(\($0)))" }, "unnest": { "json_each(\($0))" },
            "BOUNDED_SUM": { "cast(min(total(\($0)), \(Total.largest)) as integer)" },
            "BUCKET_TOTAL": { "bucket_total(\($0))" },
            "SAMPLES": {
                """
                (select j.value as slot, s.* from json_each('[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]') j
                 join sample s on s.id = j.value << 40 | \($0))
                """
            },
        ])

    /// Returns a statement in this dialect.
    package func sql(_ statement: String) -> String {
        var input = Array(statement.utf8)[...]
        return String(decoding: translated(&input, untilParenthesis: false), as: UTF8.self)
    }

    /// - Parameter untilParenthesis: `true` if the text ends after the parenthesis that closes it, which is not returned.
    private func translated(_ input: inout ArraySlice<UInt8>, untilParenthesis: Bool) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        var depth = 0
        while true {
            let next = input.firstIndex { isSpecial[Int($0)] } ?? input.endIndex
            output += input[..<next]
            input = input[next...]
            guard let byte = input.first else { return output }
            if let rule = rules[Int(byte)].first(where: { input.starts(with: $0.word) }) {
                input.removeFirst(rule.word.count)
                let expression = rule.hasExpression ? translated(&input, untilParenthesis: true) : []
                output += rule.replacement(String(decoding: expression, as: UTF8.self)).utf8
                continue
            }
            switch byte {
            case UInt8(ascii: "'"):
                let end = input.dropFirst().firstIndex(of: byte) ?? input.endIndex - 1
                output += input[...end]
                input = input[(end + 1)...]
                continue
            // A comment of a migration may contain an apostrophe.
            case UInt8(ascii: "-") where input.starts(with: "--".utf8):
                let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
                output += input[..<end]
                input = input[end...]
                continue
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                if untilParenthesis, depth == 0 {
                    input.removeFirst()
                    return output
                }
                depth -= 1
            case UInt8(ascii: "$") where hasUntypedParameters:
                output.append(UInt8(ascii: "?"))
                input.removeFirst()
                continue
            case UInt8(ascii: ":") where hasUntypedParameters && input.starts(with: "::".utf8):
                input = input.dropFirst(2).drop { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
                if input.starts(with: "[]".utf8) { input.removeFirst(2) }
                continue
            default: break
            }
            output.append(byte)
            input.removeFirst()
        }
    }
}
