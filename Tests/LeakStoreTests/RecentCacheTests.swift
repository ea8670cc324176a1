import Testing

@testable import LeakStore

@Suite struct RecentCacheTests {
    @Test func `the cache of recent entries never has more than twice its capacity`() {
        var cache = RecentCache<Int, Int>(capacity: 8)
        for number in 0..<1_000 {
            if cache.value(of: number % 37) == nil { cache.insert(number, for: number % 37) }
            #expect(cache.count <= 16)
        }
    }

    @Test func `used entries of the cache are kept, and unused entries are evicted`() {
        var cache = RecentCache<Int, String>(capacity: 4)
        cache.insert("kept", for: -1)
        for number in 0..<100 {
            #expect(cache.value(of: -1) == "kept")
            cache.insert("passing", for: number)
        }
        #expect(cache.value(of: 0) == nil)
        cache.removeAll()
        #expect(cache.value(of: -1) == nil)
    }
}
