import Foundation

/// Measurements of a disk. The baseline of figures about durable reports is the number of times per second that the disk writes
/// 4 KiB durably, one write after another: a server that syncs for each report accepts no more reports than that.
public enum Disk {
    public static func syncsPerSecond(in folder: String, seconds: Double) -> Double {
        let path = folder + "/sync-probe"
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { return 0 }
        defer {
            close(descriptor)
            unlink(path)
        }
        let page = [UInt8](repeating: 7, count: 4096)
        let start = Date()
        var count = 0
        while -start.timeIntervalSinceNow < seconds {
            guard pwrite(descriptor, page, page.count, off_t(count % 256 * 4096)) == page.count else {
                return 0
            }
            guard fdatasync(descriptor) == 0 else { return 0 }
            count += 1
        }
        return Double(count) / -start.timeIntervalSinceNow
    }

    public static func bytes(of folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
            return sum + ((attributes?[.size] as? Int) ?? 0)
        }
    }
}
