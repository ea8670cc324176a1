import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import Testing

@testable import LeakCollector

/// Parameters of addresses that are unknown, misspelt or repeated.
@Suite struct QueryParameterTests {
    /// Returns the GET addresses of the API description, each with the names of its parameters in the query.
    private static func addresses(_ running: RunningCollector) throws -> [String: Set<String>] {
        let description = try running.json("/openapi.json")
        let components = description["components"] as? [String: Any]
        let shared = try #require(components?["parameters"] as? [String: [String: Any]])
        var addresses: [String: Set<String>] = [:]
        for (path, operations) in try #require(description["paths"] as? [String: [String: Any]])
        where path.hasPrefix("/api/v1/") {
            guard let operation = operations["get"] as? [String: Any] else { continue }
            let parameters = (operation["parameters"] as? [[String: Any]] ?? []).compactMap { parameter in
                (parameter["$ref"] as? String).map {
                    shared[$0.split(separator: "/").last.map(String.init) ?? ""]
                }
                    ?? parameter
            }
            addresses[path.replacingOccurrences(of: "{id}", with: String(repeating: "0", count: 32))] = Set(
                parameters.filter { $0["in"] as? String == "query" }.compactMap { $0["name"] as? String })
        }
        return addresses
    }

    @Test func `every address of the API accepts its documented parameters only, and each of them once`()
        throws
    {
        let running = try RunningCollector()
        let addresses = try Self.addresses(running)
        #expect(addresses.count >= 13)
        for (path, names) in addresses {
            for name in names.sorted() {
                // An empty parameter is the same as none.
                let known = try running.get("\(path)?\(name)=")
                #expect(!known.text.contains("unknown parameter"), "\(path) \(name)")
                let twice = try running.get("\(path)?\(name)=1&\(name)=2")
                #expect(
                    twice.status == 400 && twice.text.contains("the parameter “\(name)” is given twice"),
                    "\(path)")
                let misspelt = try running.get("\(path)?\(name.capitalized)=1")
                let detail = try misspelt.json["detail"] as? String ?? ""
                #expect(
                    misspelt.status == 400 && detail.hasPrefix("unknown parameter “\(name.capitalized)”"),
                    "\(path)")
                #expect(names.allSatisfy { detail.contains($0) }, "\(path): \(detail)")
            }
            #expect(try running.get("\(path)?zz=1").status == 400, "\(path)")
        }
    }

    @Test(arguments: [("leaks", "left out for all time"), ("summary", "left out for 24h")])
    func `the error about an invalid period names the period that applies without the parameter`(
        path: String, text: String
    ) throws {
        let answer = try RunningCollector().get("/api/v1/\(path)?period=bogus")
        #expect(answer.status == 400 && answer.text.contains(text), "\(answer.text)")
    }

    @Test func `a misspelt parameter does not unpin the current release of production`() throws {
        let running = try RunningCollector()
        #expect(try running.post(#"{"class":"A","app":{"id":"a","version":"1"}}"#).status == 200)
        #expect(try running.pinCurrentRelease("1", of: "a").status == 303)
        #expect(try running.delete("/api/v1/releases/current?app=a&enviroment=ci").status == 400)
        #expect(try running.delete("/api/v1/releases/current?app=a&environment=production").status == 200)
    }

    @Test func `pages ignore unknown parameters, and use the first of several with one name`() throws {
        let running = try RunningCollector()
        #expect(try running.post(#"{"class":"A","app":{"id":"a","version":"1"}}"#).status == 200)
        let page = try running.get("/?app=a&app=b&utm_source=chat")
        #expect(page.status == 200 && page.text.contains("<title>Leaks · a"))
    }

    @Test(arguments: [
        ("?App=a", 400), ("?app=a&VERSION=1", 400), ("?Environment=ci", 400), ("?Module=Shop", 400),
        ("?app=a&trace=7&build=8", 200), ("?&app=a&", 200),
    ])
    func `reports are rejected if a parameter differs from a known one only in case`(
        query: String, status: Int
    ) throws {
        let running = try RunningCollector()
        let answer = try running.post("Cart leaked", "text/plain", to: "/api/v1/reports" + query)
        #expect(answer.status == status, "\(answer.text)")
        #expect(status == 200 || answer.text.contains("write it in lower case"))
        let apps = try running.json("/api/v1/apps")["apps"] as? [[String: Any]]
        #expect(apps?.compactMap { $0["id"] as? String } == (status == 200 ? ["a"] : []))
    }
}
