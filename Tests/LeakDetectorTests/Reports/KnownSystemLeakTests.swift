import Foundation
import Testing

@testable import LeakDetector

@Suite struct KnownSystemLeakTests {
    private struct File: Decodable {
        struct Entry: Decodable {
            struct System: Decodable {
                let os: String
                let from: String?
                let before: String?
            }
            let `class`: String
            let stack: [String]?
            let systems: [System]?
            let reason: String
        }
        let known_leaks: [Entry]
    }

    private static func file() throws -> [File.Entry] {
        let here = URL(fileURLWithPath: #filePath)
        let top = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
        let data = try Data(contentsOf: top.appendingPathComponent("Public/known-leaks.json"))
        return try JSONDecoder().decode(File.self, from: data).known_leaks
    }

    private static func version(_ text: String?) -> [Int] {
        (text ?? "").split(separator: ".").compactMap { Int($0) }
    }

    @Test func `each known system leak of the detector is in the collector's file of known leaks`() throws {
        let file = try Self.file()
        for known in KnownSystemLeak.all {
            let entry = try #require(file.first { $0.class == known.className }, "\(known.className)")
            #expect(entry.reason == known.reason)
            #expect(entry.stack == known.owner.map { [$0] })
            #expect(entry.systems?.map(\.os) == known.versions.map { _ in ["iOS"] })
            #expect(Self.version(entry.systems?.first?.from) == (known.versions?.from ?? []))
            #expect(Self.version(entry.systems?.first?.before) == (known.versions?.before ?? []))
        }
    }

    @Test
    func `each leak in the collector's file of known leaks is known to the detector, or suppressed by it`()
        throws
    {
        for entry in try Self.file() {
            let isHere = KnownSystemLeak.all.contains { $0.className == entry.class }
            #expect(isHere != LeakDetector.Suppression.standard.ignores(entry.class), "\(entry.class)")
        }
    }

    @Test(
        arguments: [
            ("UISwitch", [], "iOS", [10, 3, 1], true), ("UISwitch", [], "iOS", [11, 0], false),
            ("UISwitch", [], "iOS", [9, 3], false), ("UISwitch", [], "tvOS", [10, 0], false),
            ("UITextField", [], "iOS", [11, 2, 6], true), ("UITextField", [], "iOS", [11, 3], false),
            ("Shop.UISwitch", [], "iOS", [10, 0], false),
            ("PLImagePickerCameraView", ["UIImagePickerController"], "iOS", [17], true),
            ("PLImagePickerCameraView", ["Shop.Camera"], "iOS", [17], false),
        ] as [(String, [String], String, [Int], Bool)])
    func `a known system leak is recognized by class, owner and system version`(
        name: String, owners: [String], os: String, version: [Int], isKnown: Bool
    ) {
        let system = OperatingSystem(name: os, version: version)
        #expect(
            KnownSystemLeak.all.contains { $0.describes(name, owners: owners, on: system) } == isKnown)
    }
}
