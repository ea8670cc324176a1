/// Any number of weak references, in chunks.
struct WeakChunks {
    private(set) var chunks: [WeakChunk] = []
    /// The earliest of all ticks that were appended; ``latest`` is the latest of them.
    private(set) var earliest = UInt32.max
    private(set) var latest = UInt32.min

    var isEmpty: Bool { chunks.isEmpty }

    mutating func append(_ object: AnyObject, callNumber: UInt32, tick: UInt32) {
        chunkWithRoom().append(object, callNumber: callNumber, tick: tick)
        widenTickRange(toInclude: tick)
    }

    /// Removes the elements that are due at `tick` or earlier, and returns them.
    mutating func take(dueAt tick: UInt32) -> [WeakChunk] {
        guard earliest <= tick else { return [] }
        var (due, kept) = (WeakChunks(), WeakChunks())
        if latest <= tick {
            swap(&due, &self)
            return due.chunks
        }
        for chunk in chunks {
            while chunk.count > 0 {
                let at = chunk.tick(at: chunk.count - 1)
                if at <= tick { due.takeLast(of: chunk, at) } else { kept.takeLast(of: chunk, at) }
            }
        }
        self = kept
        return due.chunks
    }

    /// Removes elements.
    ///
    /// - Parameter stays: called with the chunk and the index of each element; `false` removes the element.
    mutating func filter(_ stays: (WeakChunk, Int) -> Bool) {
        var kept = WeakChunks()
        for chunk in chunks {
            while chunk.count > 0 {
                let last = chunk.count - 1
                if stays(chunk, last) {
                    kept.takeLast(of: chunk, chunk.tick(at: last))
                } else {
                    chunk.removeLast()
                }
            }
        }
        self = kept
    }

    private mutating func takeLast(of chunk: WeakChunk, _ tick: UInt32) {
        chunk.moveLast(to: chunkWithRoom())
        widenTickRange(toInclude: tick)
    }

    private mutating func chunkWithRoom() -> WeakChunk {
        if let last = chunks.last, !last.isFull { return last }
        let chunk = WeakChunk()
        chunks.append(chunk)
        return chunk
    }

    private mutating func widenTickRange(toInclude tick: UInt32) {
        earliest = min(earliest, tick)
        latest = max(latest, tick)
    }
}
