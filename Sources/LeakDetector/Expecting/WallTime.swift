internal import LeakMessage
internal import LeakPlatform

/// The time of day, for what leaves the device.
enum WallTime {
    static var now: WireTime { WireTime(milliseconds: SystemTime.wall) }

    static func newID() -> String { SightingID.make(at: now) }
}
