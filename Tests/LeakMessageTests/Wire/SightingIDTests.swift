import LeakMessage
import Testing

@Suite struct SightingIDTests {
    @Test func `the id of a sighting is a UUID of version 7 that sorts by time`() {
        let ids = [0, 1, 1_764_000_000_000, 1_764_000_000_001, 0xFFFF_FFFF_FFFF].map {
            SightingID.make(at: WireTime(milliseconds: $0))
        }
        #expect(ids == ids.sorted())
        for id in ids {
            let parts = id.split(separator: "-")
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "7")
            #expect("89ab".contains(parts[3].first ?? "x"))
        }
        #expect(ids[4].hasPrefix("ffffffff-ffff-7"))
        #expect(Set((0..<1000).map { _ in SightingID.make(at: WireTime(milliseconds: 5)) }).count == 1000)
    }
}
