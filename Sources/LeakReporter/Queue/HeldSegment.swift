import LeakMessage

/// A segment of the queue: where its bytes are, and what they come to.
struct HeldSegment {
    /// Of the batch; the file's name without its ending.
    let key: String
    /// Bytes that the disk did not take, in the order in which they follow those that it did.
    var unsaved: [UInt8] = []
    var savedBytes = 0
    var sightings = 0
    /// Of them those that are in ``unsaved``, in part at least.
    var unsavedSightings = 0
    /// Explanations in it.
    var explanations = 0
    /// Sightings that were in it and cannot be read any more; counted as dropped when it goes.
    var damaged = 0
    /// When it was sent for the first time; `nil` before.
    var sentAt: WireTime?
    /// The number of the first record in it, for those who wait until it is delivered.
    var firstTicket: UInt64
    /// Files that repeat a part of this segment and could not be removed yet. They must be gone before it is sent, or the
    /// next run would send that part as well. Changed by ``SegmentQueue/holdBack(_:until:)`` alone.
    var successorOf: Set<String> = []
    /// Of the app whose reports it holds.
    var appID: String?
    /// Whether its last attempt failed or was declined, so that the others go first.
    var isDeclined = false
    /// Length without the seal that the last attempt wrote; `nil` when an earlier attempt may have been counted.
    var bytesBeforeSeal: Int?
    /// Whether there may be a file, if an empty one.
    var hasFile = false
    /// Indicates that no later run can send other bytes under the key: the sealed batch survives a power cut, or all of it
    /// is in memory.
    var isContentFixed = false
    /// Since when the file has been there but could not be read.
    var unreadableSince: Moment?

    var fileName: String { key + Segment.fileEnding }
    var bytes: Int { savedBytes + unsaved.count }
    /// What its file takes of the disk. With that, ``LeakReporter/Bounds/diskBytes`` bounds the number of files as well.
    var diskBytes: Int { savedBytes > 0 ? Self.diskBytes(of: savedBytes) : 0 }

    /// File systems give a file whole blocks, of 4 KiB on APFS, ext4 and XFS.
    static func diskBytes(of bytes: Int) -> Int { max(bytes, 4096) }

    /// Not sent for a month, since the process did not run: the collector would count it on its thirtieth day.
    static let staleMilliseconds: Int64 = 30 * 86_400_000

    /// By the time at which it was begun, which the key starts with.
    func isStale(at now: WireTime) -> Bool { Self.isStale(key: key, at: now) }

    static func isStale(key: String, at now: WireTime) -> Bool {
        guard let begun = Int64(key.filter { $0 != "-" }.prefix(12), radix: 16) else { return false }
        let (age, isOutOfRange) = now.milliseconds.subtractingReportingOverflow(begun)
        return !isOutOfRange && age >= Self.staleMilliseconds
    }
}

/// The segment that is being written.
struct OpenSegment {
    struct Line {
        let index: UInt32
        var count: Int
    }

    var held: HeldSegment
    let header: SegmentHeader
    /// When it is to be sent; `nil` when nothing in it is worth a request.
    private(set) var dueAt: Moment?
    /// Where a sighting of that leak can be added.
    var lines: [FoldingKey: Line] = [:]
    var lineCount: UInt32 = 0
    var recordCount = 0
    /// What was seen again since the last commit, by the index of its line.
    var again: [UInt32: (count: Int, alive: Int?)] = [:]

    init(_ header: SegmentHeader, ticket: UInt64) {
        self.header = header
        held = HeldSegment(key: header.key, firstTicket: ticket)
        held.appID = header.app.id
        append(.header(header))
    }

    mutating func append(_ record: SegmentRecord) {
        record.write(to: &held.unsaved)
        if case .explanation = record { held.explanations += 1 }
        recordCount += 1
    }

    /// Has it sent no later than that.
    mutating func isDue(by moment: Moment) { dueAt = min(dueAt ?? moment, moment) }

    /// Writes down what was seen again, once for each line.
    mutating func settleAgain() {
        for (index, tally) in again.sorted(by: { $0.key < $1.key }) {
            append(
                .again(
                    index: index, count: UInt32(clamping: tally.count),
                    alive: tally.alive.map { UInt32(clamping: $0) }))
        }
        again.removeAll(keepingCapacity: true)
    }
}
