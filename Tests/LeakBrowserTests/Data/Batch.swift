import Foundation

/// Batches in the wire format, see docs/WIRE.md.
enum Batch {
    static func reports(_ reports: [JSON]) -> JSON {
        ["reports": .list(reports)]
    }

    /// Returns a batch with the sessions and checks of a version, without reports.
    static func sessions(
        app: String, version: String, sessions: Int, leaky: Int, checks: [String: Int] = [:]
    ) -> JSON {
        [
            "app": ["id": JSON(app), "version": JSON(version)],
            "sessions": .list(
                (0..<sessions).map { ["checks": 40, "leaks": JSON($0 < leaky ? 1 : 0)] }),
            "checks": .list(
                checks.sorted { $0.key < $1.key }.map { ["class": JSON($0.key), "count": JSON($0.value)] }),
        ]
    }
}

/// A report under construction. Properties that are `nil` are left out.
struct Sighting {
    var className: String?
    var kind = "view_controller"
    var stack: [String] = []
    var app = "com.acme.shop"
    var version = "5.2.0"
    var build: String? = "812"
    var system = "iOS"
    var systemVersion = "19.1"
    var model = "iPhone17,1"
    var install = 1
    /// Hours since the sighting.
    var hoursAgo = 1
    /// Number of sightings that the report counts.
    var count = 1
    /// `message`, `keys`, `log` and other fields of the wire format.
    var others: [String: JSON] = [:]

    var report: JSON {
        let at = Date().timeIntervalSince1970 - Double(hoursAgo) * 3600
        var app: [String: JSON] = ["id": JSON(self.app), "version": JSON(version), "module": "Shop"]
        if let build { app["build"] = JSON(build) }
        var members: [String: JSON] = [
            "kind": JSON(kind), "app": .object(app),
            "device": ["os": JSON(system), "os_version": JSON(systemVersion), "model": JSON(model)],
            "install": JSON("install-\(install)"), "count": JSON(count), "at": .number((at * 1000).rounded()),
        ]
        if let className { members["class"] = JSON(className) }
        if !stack.isEmpty { members["stack"] = .list(stack.map { JSON($0) }) }
        return .object(members.merging(others) { $1 })
    }
}
