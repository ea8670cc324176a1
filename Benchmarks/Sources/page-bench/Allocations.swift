import CountedMalloc
import Foundation
import LeakStore
import LoadTools

@testable import LeakCollector
@testable import LeakGrammar

/// Counts the calls of `malloc` for reading and grouping a report with a call stack. Their number is the same on any machine.
enum Allocations {
    private static let frameCount = 30
    private static let reportsPerRequest = 50

    /// A form of call frames, which makes the text of a frame from the number of its function and from its address.
    private struct Form: Sendable {
        let name: String
        let frame: @Sendable (_ function: Int, _ address: UInt64) -> String
    }

    private static let forms: [Form] = [
        Form(name: "callStackSymbols") {
            "\($0 % 30)   Shop   0x000000\(hexadecimal($1)) $s4Shop4CartC6step\(1_000 + $0)yyF + 12"
        },
        Form(name: "backtrace_symbols") {
            "/home/me/Shop($s4Shop4CartC6step\(1_000 + $0)yyF+0x1c) [0x\(hexadecimal($1))]"
        },
        Form(name: "lldb") {
            "frame #\($0 % 30): 0x000000\(hexadecimal($1)) Shop`Cart.step\(1_000 + $0)() + 12"
        },
        Form(name: "offsets of LeakReporter.callStack()") { function, _ in
            "0x\(String(0x4000 + function * 64, radix: 16)) in Shop (6F1B0C3E-7B7B-3D8C-9E0D-0D1C6B6A1F00)"
        },
    ]

    private static func hexadecimal(_ address: UInt64) -> String { String(address, radix: 16) }

    /// - Parameter functions: the functions of each report, innermost first; empty for a report without a stack.
    private static func makeRequest(_ functions: [[Int]], _ form: Form, launch: Int) -> IngestRequest {
        let reports = functions.enumerated().map { index, calls in
            let stack = calls.enumerated().map { number, function in
                let address = 0x1_0200_0000 + UInt64(launch * 100 + index) << 14 + UInt64(number * 64)
                return "\"\(form.frame(function, address))\""
            }
            let field = stack.isEmpty ? "" : #","stack":[\#(stack.joined(separator: ","))]"#
            return #"{"class":"Shop.Cart\#(index)","event":"leak"\#(field)}"#
        }
        let body =
            #"{"app":{"id":"shop","version":"1.0","module":"Shop"},"reports":[\#(reports.joined(separator: ","))]}"#
        return IngestRequest(body: Array(body.utf8), format: .json, receivedAt: 1_795_000_000_000)
    }

    private static let key = Credential(id: 1, purpose: .ingest, name: "k", hash: [], app: nil, createdAt: 0)

    /// Returns the allocations and the microseconds per report.
    private static func cost(of requests: [IngestRequest], _ cache: inout GroupCache) throws -> (
        allocations: Double, microseconds: Double
    ) {
        var count = 0
        let clock = ContinuousClock()
        let start = clock.now
        _ = counted_malloc_take()
        for request in requests {
            cache.begin()
            count += try SubmissionBuilder(request, key: key, cache: &cache).submission.sightings.count
            cache.end()
        }
        let allocations = Double(counted_malloc_take())
        let time = (clock.now - start) / .microseconds(1)
        return (allocations / Double(count), time / Double(count))
    }

    /// - Returns: `true` if reports with known frames need no more allocations than reports without a stack.
    static func measure() throws -> Bool {
        counted_malloc_start()
        print("| stack | allocations per report | more than without a stack | µs per report |")
        print("|---|--:|--:|--:|")
        func printRow(
            _ name: String, _ cost: (allocations: Double, microseconds: Double), beside none: Double
        ) {
            let text = [cost.allocations, cost.allocations - none].map { String(format: "%.2f", $0) }
            print("| \(name) | \(text[0]) | \(text[1]) | \(String(format: "%.2f", cost.microseconds)) |")
        }
        let requestCount = 200
        let same = (0..<reportsPerRequest).map { report in (0..<frameCount).map { report * 7 + $0 } }
        var cache = GroupCache()
        let bare = same.map { _ in [Int]() }
        _ = try cost(of: (0..<requestCount).map { makeRequest(bare, forms[0], launch: $0) }, &cache)
        let none = try cost(of: (0..<requestCount).map { makeRequest(bare, forms[0], launch: $0) }, &cache)
        printRow("none", none, beside: none.allocations)
        var isFree = true
        for form in forms {
            _ = try cost(of: (0..<requestCount).map { makeRequest(same, form, launch: $0) }, &cache)
            let seen = try cost(
                of: (requestCount..<2 * requestCount).map { makeRequest(same, form, launch: $0) }, &cache)
            printRow("\(frameCount) frames seen before, \(form.name)", seen, beside: none.allocations)
            isFree = isFree && seen.allocations <= none.allocations
            // Each stack begins with two functions that no other stack begins with.
            let new = (0..<requestCount).map { request in
                (0..<reportsPerRequest).map { report in
                    [request, report + 200] + same[report].dropFirst(2)
                }
            }
            let fresh = try cost(
                of: new.indices.map { makeRequest(new[$0], form, launch: $0) }, &cache)
            printRow(
                "a new stack of \(frameCount) known frames, \(form.name)", fresh, beside: none.allocations)
        }
        return isFree
    }
}
