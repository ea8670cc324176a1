import Foundation
import LeakMessage
import Testing

/// One line of `messages.jsonl`: a text, and its contents after cleaning.
struct MessageVector: Decodable, CustomTestStringConvertible {
    let message: String
    let `class`: String?
    let stack: [String]?
    let children: [String]?
    let cycle: [String]?
    let freed: Bool

    var testDescription: String { String(message.prefix(60)) }

    static let all: [MessageVector] = {
        guard
            let url = Bundle.module.url(
                forResource: "messages", withExtension: "jsonl", subdirectory: "Vectors"),
            let text = try? String(contentsOf: url, encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap {
            try? JSONDecoder().decode(MessageVector.self, from: Data($0.utf8))
        }
    }()
}

/// The demangler's answers for the manglings in these tests, since only the collector may ask the runtime.
let demangle: @Sendable (String) -> String? = { name in
    [
        "$s5MyApp13FooControllerC": "MyApp.FooController",
        "_T05MyApp13FooControllerC": "MyApp.FooController",
        "$s5MyApp13FooControllerCMn": "nominal type descriptor for MyApp.FooController",
    ][name]
}
