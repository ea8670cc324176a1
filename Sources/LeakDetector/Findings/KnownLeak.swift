/// A leak that the system makes and no app can mend. It is reported as such, since a silent detector looks broken.
struct KnownLeak: Sendable {
    /// Without its module.
    let className: String
    /// One of the owners.
    var owner: String?
    /// Of iOS: from a version on, before another.
    var versions: (from: [Int], before: [Int])?
    let reason: String

    /// Those of `Public/known-leaks.json`, where the sources are named.
    static let all = [
        KnownLeak(
            className: "UITextField", versions: ([11, 2], [11, 3]),
            reason: "iOS 11.2 never frees a text field once it was made."),
        KnownLeak(
            className: "UISwitch", versions: ([10, 0], [11, 0]),
            reason: "iOS 10 keeps switches after their screen has gone."),
        KnownLeak(
            className: "_UIAlertControllerTextField",
            reason: "UIKit keeps the text fields of an alert after the alert has closed."),
        KnownLeak(
            className: "PLImagePickerCameraView", owner: "UIImagePickerController",
            reason: "The system keeps the camera view of an image picker after the picker has closed."),
    ]

    /// - Parameters:
    ///   - className: qualified.
    ///   - owners: names of the object's owners.
    ///   - system: what runs here.
    func describes(_ className: String, owners: [String], on system: OperatingSystem) -> Bool {
        guard className == self.className else { return false }
        if let owner, !owners.contains(owner) { return false }
        guard let versions else { return true }
        return system.name == "iOS" && !system.version.lexicographicallyPrecedes(versions.from)
            && system.version.lexicographicallyPrecedes(versions.before)
    }
}

/// Which system runs here.
struct OperatingSystem: Hashable, Sendable {
    /// As the collector knows them: `iOS`, `macOS`, `Linux`.
    let name: String
    /// Major first.
    let version: [Int]
}
