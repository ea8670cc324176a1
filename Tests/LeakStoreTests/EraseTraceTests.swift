import Testing
import LeakPlatform

@testable import LeakStore

/// Traces of an erased install in the files, and an erasure that is cancelled.
@Suite struct EraseTraceTests {
    private let directory = TemporaryDirectory(isInMemory: true)

    /// Returns `true` if the file contains the bytes of the text.
    private func holds(_ text: String, _ file: String) -> Bool {
        let (bytes, wanted) = (directory.read(file), Array(text.utf8))
        guard let first = wanted.first else { return true }
        return bytes.indices.contains { start in
            bytes[start] == first && bytes[start...].starts(with: wanted)
        }
    }

    /// Stores so many reports that samples are replaced, and pages are split and freed. Long reports take whole pages.
    private func fill(_ store: SQLiteStore) throws {
        for round in 0..<60 {
            let reports = (0..<40).map { number in
                Report(
                    leak: leak("L\(number % 9)"),
                    install: number % 3 == 0 ? 777_777 : UInt64(round * 40 + number),
                    body: "{\"mark\": \"\(number % 3 == 0 ? "forget-me" : "keep-me")\"}"
                        + String(repeating: " ", count: number % 2 == 0 ? 10 : 6_000))
            }
            _ = try store.count([submission(reports)], now: noon + Int64(round))
        }
    }

    @Test func `no trace of an erased install is left in the files of the database`() throws {
        let store = try directory.store()
        try fill(store)
        #expect(holds("forget-me", "leaks.sqlite-wal") || holds("forget-me", "leaks.sqlite"))
        let erased = try store.erase(install: 777_777)
        #expect(erased.samples > 0 && !erased.isLeftInLog)
        for (file, bytes) in directory.files() {
            #expect(!holds("forget-me", file) && !holds("i777777", file), "\(file)")
            if file.hasSuffix("-wal") { #expect(bytes.isEmpty) }
        }
        #expect(holds("keep-me", "leaks.sqlite"))
    }

    @Test
    func
        `an erasure reports that a reader prevented emptying the write-ahead log; the next erasure empties it`()
        throws
    {
        let store = try directory.store()
        try fill(store)
        let reader = try SQLiteReader(path: directory.database)
        let erased = try reader.snapshot { _ throws(StoreError) in
            _ = try reader.apps()
            return try store.erase(install: 777_777)
        }
        #expect(erased.isLeftInLog && erased.samples > 0)
        #expect(holds("forget-me", "leaks.sqlite-wal") || holds("forget-me", "leaks.sqlite"))
        #expect(try store.erase(install: 777_777) == ErasureResult())
        #expect(!holds("forget-me", "leaks.sqlite") && !holds("forget-me", "leaks.sqlite-wal"))
    }

    @Test func `a cancelled erasure ends between two steps`() throws {
        let store = try directory.store()
        try fill(store)
        var steps = 0
        let erased = try store.erase(install: 777_777) {
            steps += 1
            return steps <= 2
        }
        #expect(erased == nil && steps == 3)
        #expect(try store.verify() == [])
        _ = try store.erase(install: 777_777)
        #expect(!holds("forget-me", "leaks.sqlite"))
    }
}
