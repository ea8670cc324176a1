/// A leak in the system that no app can fix. It is reported and marked as a leak of the system, since a detector that reports
/// nothing looks broken.
struct KnownSystemLeak: Sendable {
    /// The qualified name of the class. Names of UIKit classes contain no module.
    let className: String
    /// The name of an owner that the path must contain; `nil` for any path.
    var owner: String?
    /// The affected versions of iOS: `from` is the first of them, `before` the first version after them; `nil` for all versions
    /// of all systems.
    var versions: (from: [Int], before: [Int])?
    let reason: String

    /// The leaks of `Public/known-leaks.json`, where the sources are named.
    static let all = [
        KnownSystemLeak(
            className: "UITextField", versions: ([11, 2], [11, 3]),
            reason: "iOS 11.2 never frees a text field once it was made."),
        KnownSystemLeak(
            className: "UISwitch", versions: ([10, 0], [11, 0]),
            reason: "iOS 10 keeps switches after their screen was closed."),
        KnownSystemLeak(
            className: "_UIAlertControllerTextField",
            reason: "UIKit keeps the text fields of an alert after the alert has closed."),
        KnownSystemLeak(
            className: "PLImagePickerCameraView", owner: "UIImagePickerController",
            reason: "The system keeps the camera view of an image picker after the picker has closed."),
    ]

    /// Returns `true` if this rule describes the leak of an object.
    ///
    /// - Parameters:
    ///   - className: the qualified name of the class.
    ///   - owners: names of the object's owners.
    ///   - system: the system of this process.
    func describes(_ className: String, owners: [String], on system: OperatingSystem) -> Bool {
        guard className == self.className else { return false }
        if let owner, !owners.contains(owner) { return false }
        guard let versions else { return true }
        return system.name == "iOS" && !system.version.lexicographicallyPrecedes(versions.from)
            && system.version.lexicographicallyPrecedes(versions.before)
    }
}

/// The operating system of this process.
struct OperatingSystem: Hashable, Sendable {
    /// The name that the collector uses: `iOS`, `macOS`, `Linux`.
    let name: String
    /// The version, major number first.
    let version: [Int]
}
