import CollectorSupport
import Foundation
import HTTPClient
import Testing

@testable import LeakCollector

/// What `/openapi.json` describes is what the API answers: the same names, no more and no fewer.
@Suite struct OpenAPITests {
    @Test func `answers have the fields that are described`() throws {
        let running = try RunningCollector()
        let batch = #"""
            {"app":{"id":"a","module":"Shop","version":"1.0","build":"3"},"device":{"os":"iOS","os_version":"19.1","model":"iPhone17,1"},
             "install":"i","sessions":[{"id":"s","checks":2,"leaks":1}],"checks":[{"class":"Shop.A","count":60}],"dropped":{"budget":2},
             "reports":[{"class":"Shop.A","stack":["Root","Shop.A"]},{"class":"Shop.A","stack":["Other","Shop.A"]},
                        {"class":"Shop.A","stack":["Root","Shop.A"],"type":"freed","lived_ms":2300},
                        {"class":"Shop.B.A"},{"class":"_UIAlertControllerTextField"}]}
            """#
        #expect(try running.post(batch).status == 200)
        let schemas = try Schemas(running.json("/openapi.json"))
        let list = try running.json("/api/v1/leaks?app=a")
        let leaks = try #require(list["leaks"] as? [[String: Any]])
        let id = try #require(leaks.first { $0["freed"] as? Int == 1 }?["id"] as? String)
        let answers: [(String, [String: Any])] = [
            ("LeakPage", list), ("LeakPage", try running.json("/api/v1/leaks?state=known")),
            ("LeakClass", try running.json("/api/v1/classes?class=A&app=a")),
            ("LeakClass", try running.json("/api/v1/classes?class=A")),
            ("LeakDetail", try running.json("/api/v1/leaks/\(id)")),
            ("KeptReports", try running.json("/api/v1/leaks/\(id)/reports")),
            ("VersionTrend", try running.json("/api/v1/leaks/\(id)/trend?by=hour")),
            ("VersionTrend", try running.json("/api/v1/leaks/\(id)/trend?by=day")),
            ("Summary", try running.json("/api/v1/summary?app=a")),
            ("Summary", try running.json("/api/v1/summary")),
            ("Releases", try running.json("/api/v1/releases?app=a")),
            ("Apps", try running.json("/api/v1/apps")),
            ("ReleaseCheck", try running.json("/api/v1/check?app=a&version=1.0")),
            ("Problem", try running.get("/api/v1/nope").json),
        ]
        let keys = try #require(try running.json("/api/v1/keys")["keys"] as? [[String: Any]])
        let tokens = try #require(try running.json("/api/v1/tokens")["tokens"] as? [[String: Any]])
        for (name, answer) in answers + keys.map({ ("Key", $0) }) + tokens.map({ ("Token", $0) }) {
            let problems = schemas.problems(
                of: answer, as: ["$ref": "#/components/schemas/\(name)"], at: name)
            #expect(problems.isEmpty, "\(problems.joined(separator: "; "))")
        }
    }
}

/// As much of JSON Schema as the description uses.
private struct Schemas {
    private let schemas: [String: [String: Any]]

    init(_ description: [String: Any]) throws {
        let components = description["components"] as? [String: Any]
        schemas = try #require(components?["schemas"] as? [String: [String: Any]])
    }

    func problems(of value: Any, as schema: [String: Any], at path: String) -> [String] {
        let schema = resolved(schema)
        if let choices = (schema["anyOf"] ?? schema["oneOf"]) as? [[String: Any]] {
            let found = choices.map { problems(of: value, as: $0, at: path) }
            return found.contains([])
                ? [] : ["\(path): fits none of \(choices.count) shapes"] + found.joined()
        }
        let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
        guard types.isEmpty || types.contains(where: { Self.fits(value, $0) }) else {
            return ["\(path): \(value) is not \(types)"]
        }
        if let allowed = schema["enum"] as? [String], let text = value as? String, !allowed.contains(text) {
            return ["\(path): \(text) is not one of \(allowed)"]
        }
        if let object = value as? [String: Any],
            let properties = schema["properties"] as? [String: [String: Any]]
        {
            let required = Set(schema["required"] as? [String] ?? [])
            let unknown = Set(object.keys).subtracting(properties.keys).map { "\(path).\($0): not described" }
            let missing = required.subtracting(object.keys).map { "\(path).\($0): missing" }
            let inner = object.flatMap { name, value in
                properties[name].map { problems(of: value, as: $0, at: "\(path).\(name)") } ?? []
            }
            return unknown + missing + inner
        }
        if let array = value as? [Any], let items = schema["items"] as? [String: Any] {
            return array.enumerated().flatMap { problems(of: $1, as: items, at: "\(path)[\($0)]") }
        }
        return []
    }

    private func resolved(_ schema: [String: Any]) -> [String: Any] {
        if let reference = schema["$ref"] as? String, let name = reference.split(separator: "/").last {
            return resolved(schemas[String(name)] ?? [:])
        }
        guard let parts = schema["allOf"] as? [[String: Any]] else { return schema }
        var properties: [String: Any] = [:]
        var required: [String] = []
        for part in parts.map(resolved) {
            properties.merge(part["properties"] as? [String: Any] ?? [:]) { $1 }
            required += part["required"] as? [String] ?? []
        }
        return ["type": "object", "properties": properties, "required": required]
    }

    private static func fits(_ value: Any, _ type: String) -> Bool {
        switch type {
        case "null": value is NSNull
        case "string": value is String
        case "object": value is [String: Any]
        case "array": value is [Any]
        case "boolean": value is Bool
        case "integer": value is Int
        case "number": value is NSNumber
        default: false
        }
    }
}
