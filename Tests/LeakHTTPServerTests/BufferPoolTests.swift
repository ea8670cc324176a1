import Testing

@testable import LeakHTTPServer

@Suite struct BufferPoolTests {
    @Test func `a returned buffer is reused`() {
        var pool = BufferPool()
        weak var former: Buffer?
        do {
            let buffer = pool.take(100)
            former = buffer
            pool.release(buffer)
        }
        #expect(pool.take(100) === former)
    }

    @Test func `a buffer is not reused while its bytes are in use`() {
        var pool = BufferPool()
        let buffer = pool.take(100)
        buffer.append("abc")
        let held = unsafe SharedBytes(buffer.bytes, of: buffer)
        pool.release(buffer)
        let other = pool.take(100)
        other.append("xyz")
        #expect(other !== buffer)
        #expect(held.copy() == Array("abc".utf8))
    }

    @Test func `buffers that were not used between two calls of trim are freed by the second call`() {
        var pool = BufferPool()
        let buffers = (0..<5).map { _ in pool.take(1 << 20) }
        for buffer in buffers { pool.release(buffer) }
        pool.trim()
        #expect(!pool.isEmpty, "all five were in use since the last call")
        pool.trim()
        #expect(pool.isEmpty)
    }
}
