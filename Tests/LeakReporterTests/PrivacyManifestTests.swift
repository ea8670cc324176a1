import Foundation
import Testing

/// Compares the privacy manifest with the sources of the libraries for apps.
@Suite struct PrivacyManifestTests {
    private static let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    /// Libraries that an app links.
    private static let libraries = [
        "LeakReporter", "LeakTransport", "LeakFoundationTransport", "LeakDetector", "LeakMessage",
        "LeakPlatform",
        "LeakGzip",
    ]

    private static func manifest() throws -> [String: Any] {
        let file = top.appendingPathComponent("Sources/LeakReporter/PrivacyInfo.xcprivacy")
        let list = try unsafe PropertyListSerialization.propertyList(
            from: Data(contentsOf: file), format: nil)
        return try #require(list as? [String: Any])
    }

    /// The names of functions and types in each category, as of 2026.
    /// https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api
    private static let namesNeedingReason = [
        "NSPrivacyAccessedAPICategoryFileTimestamp": [
            "creationDate", "modificationDate", "fileModificationDate", "contentModificationDateKey",
            "creationDateKey", "contentModificationDate", "getattrlist", "getattrlistbulk", "fgetattrlist",
            "stat", "fstat", "fstatat", "lstat", "getattrlistat", "attributesOfItem",
        ],
        "NSPrivacyAccessedAPICategorySystemBootTime": ["systemUptime", "mach_absolute_time"],
        "NSPrivacyAccessedAPICategoryDiskSpace": [
            "volumeAvailableCapacityKey", "volumeAvailableCapacityForImportantUsageKey",
            "volumeAvailableCapacityForOpportunisticUsageKey", "volumeTotalCapacityKey",
            "volumeAvailableCapacity", "volumeTotalCapacity", "systemFreeSize", "systemSize",
            "attributesOfFileSystem", "statfs", "statvfs", "fstatfs", "fstatvfs",
        ],
        "NSPrivacyAccessedAPICategoryActiveKeyboards": ["activeInputModes"],
        "NSPrivacyAccessedAPICategoryUserDefaults": [
            "UserDefaults", "NSUserDefaults", "AppStorage", "CFPreferencesCopyAppValue",
        ],
    ]

    /// Returns the categories whose names a source uses outside of comments.
    private static func categories(of source: String) -> Set<String> {
        var words: Set<Substring> = []
        for line in source.split(separator: "\n") {
            let code = line.components(separatedBy: "//").first ?? ""
            words.formUnion(
                code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { Substring(String($0)) })
        }
        return Set(
            namesNeedingReason.filter { $0.value.contains { words.contains(Substring($0)) } }.map(\.key))
    }

    private static func sources(of library: String) throws -> [(name: String, text: String)] {
        let folder = top.appendingPathComponent("Sources/\(library)").resolvingSymlinksInPath()
        let names = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap {
            $0 as? String
        }
        return try names.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".h") }.map {
            ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
        }
    }

    @Test(arguments: [
        ("if unsafe stat(path, &status) == 0 {", "NSPrivacyAccessedAPICategoryFileTimestamp"),
        ("let start = mach_absolute_time()", "NSPrivacyAccessedAPICategorySystemBootTime"),
        ("ProcessInfo.processInfo.systemUptime", "NSPrivacyAccessedAPICategorySystemBootTime"),
        (
            "url.resourceValues(forKeys: [.volumeAvailableCapacityKey])",
            "NSPrivacyAccessedAPICategoryDiskSpace"
        ),
        ("UITextInputMode.activeInputModes", "NSPrivacyAccessedAPICategoryActiveKeyboards"),
        ("UserDefaults.standard.bool(forKey: name)", "NSPrivacyAccessedAPICategoryUserDefaults"),
    ])
    func `a use of an API for which Apple requires a reason in the privacy manifest is found`(
        line: String, category: String
    ) {
        #expect(Self.categories(of: line) == [category])
        #expect(Self.categories(of: "reporter.statistics // \(line)").isEmpty)
    }

    @Test func `the API categories in the privacy manifest are those that the sources use`() throws {
        let listed = try #require(Self.manifest()["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        var used: Set<String> = []
        var files = 0
        for library in Self.libraries {
            for source in try Self.sources(of: library) {
                let categories = Self.categories(of: source.text)
                #expect(categories.isEmpty, "\(library)/\(source.name)")
                used.formUnion(categories)
                files += 1
            }
        }
        #expect(files > 100)
        #expect(Set(listed.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }) == used)
        for entry in listed {
            let reasons = try #require(entry["NSPrivacyAccessedAPITypeReasons"] as? [String])
            #expect(!reasons.isEmpty)
        }
    }

    @Test func `the privacy manifest declares no tracking, and lists the collected data`() throws {
        let manifest = try Self.manifest()
        #expect(manifest["NSPrivacyTracking"] as? Bool == false)
        #expect((manifest["NSPrivacyTrackingDomains"] as? [String])?.isEmpty == true)
        let collected = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
        #expect(
            collected.map { $0["NSPrivacyCollectedDataType"] as? String } == [
                "NSPrivacyCollectedDataTypeOtherDiagnosticData", "NSPrivacyCollectedDataTypeDeviceID",
            ])
        for entry in collected {
            #expect(entry["NSPrivacyCollectedDataTypeLinked"] as? Bool == false)
            #expect(entry["NSPrivacyCollectedDataTypeTracking"] as? Bool == false)
            #expect(
                entry["NSPrivacyCollectedDataTypePurposes"] as? [String] == [
                    "NSPrivacyCollectedDataTypePurposeAppFunctionality"
                ])
        }
    }

    /// Other libraries for apps collect nothing and call nothing that needs a reason, so they need no manifest.
    @Test func `the privacy manifest ships with the library in both packages`() throws {
        for path in ["Package.swift", "Checks/Apps/Package.swift"] {
            let package = try String(contentsOf: Self.top.appendingPathComponent(path), encoding: .utf8)
            #expect(package.contains(#"resources: [.copy("PrivacyInfo.xcprivacy")]"#), "\(path)")
        }
    }
}
