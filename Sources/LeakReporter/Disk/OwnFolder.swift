internal import Foundation

/// A folder that the reporter alone uses, on Apple's systems with the marks that it needs there.
enum OwnFolder {
    /// Makes it and those above it that are missing, and marks it before anything is in it: what is made in a folder is
    /// protected as the folder is.
    static func make(_ path: String) throws(FileFailure) {
        try FileSystem.makeFolders(path)
        mark(path)
    }

    /// Leaves it out of backups, since a device that is set up from another's is another installation, and its reports are
    /// sent by the other one. Lets its files be read when the device has been unlocked once: an app that is woken in the
    /// background would else find its reports unreadable.
    private static func mark(_ path: String) {
        #if canImport(Darwin)
            var url = URL(fileURLWithPath: path, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
            #if !os(macOS)
                try? FileManager.default.setAttributes(
                    [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                    ofItemAtPath: path)
            #endif
        #endif
    }
}
