import Foundation
import Testing

/// A validator for the part of JSON Schema that `openapi.json` uses.
struct SchemaValidator {
    private let schemas: [String: [String: Any]]

    init(_ description: [String: Any]) throws {
        let components = description["components"] as? [String: Any]
        schemas = try #require(components?["schemas"] as? [String: [String: Any]])
    }

    func problems(of value: Any, as schema: [String: Any], at path: String) -> [String] {
        let schema = resolved(schema)
        // If `anyOf` or `oneOf` is beside `properties`, it says only which properties are required, and is not checked.
        if schema["properties"] == nil, let choices = (schema["anyOf"] ?? schema["oneOf"]) as? [[String: Any]]
        {
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
