/// Cost of one object.
struct Cost {
    /// Nanoseconds by the clock, and nanoseconds of the registering thread's processor time.
    var registering, registeringProcessor: Double
    /// Bytes of heap while the object waits for its check, without the object itself. 0 if the objects do not wait at the same
    /// time.
    var heapBytes: Double
    /// Nanoseconds of processor time of all threads, from the registration of the object to the end of its check.
    var processorTime: Double
}

/// Order in which objects are registered and released.
enum Load: CustomStringConvertible {
    /// All objects are registered, then all are released.
    case atOnce(Int)
    /// Each object is released a millisecond before the next object is registered, so that the thread that checks objects falls
    /// asleep in between.
    case oneByOne(Int)

    var description: String {
        switch self {
        case .atOnce(let count): "\(count)"
        case .oneByOne(let count): "\(count), 1 ms apart"
        }
    }

    func cost<Method: DetectionMethod>(of _: Method.Type) -> Cost {
        switch self {
        case .atOnce(let count): atOnce(Method.self, count)
        case .oneByOne(let count): oneByOne(Method.self, count)
        }
    }

    private func atOnce<Method: DetectionMethod>(_: Method.Type, _ count: Int) -> Cost {
        var objects = (0..<count).map { _ in Model() }
        let heap = Usage.heap
        var contender = Method(outstanding: count)
        let (processorStart, own, start) = (Usage.processorTime, Usage.ownProcessorTime, Usage.time)
        for object in objects { contender.expect(object) }
        let (registered, ownRegistered) = (Usage.time - start, Usage.ownProcessorTime - own)
        let ownBeforeRelease = Usage.ownProcessorTime
        let taken = Usage.heap - heap
        objects = []
        let leftOut = Usage.ownProcessorTime - ownBeforeRelease
        contender.finish()
        let processorTime = Usage.processorTime - processorStart - leftOut
        func each(_ sum: Int) -> Double { Double(sum) / Double(count) }
        return Cost(
            registering: each(registered), registeringProcessor: each(ownRegistered), heapBytes: each(taken),
            processorTime: each(processorTime))
    }

    private func oneByOne<Method: DetectionMethod>(_: Method.Type, _ count: Int) -> Cost {
        var contender = Method(outstanding: count)
        let (processorStart, own) = (Usage.processorTime, Usage.ownProcessorTime)
        var registered = 0
        for _ in 0..<count {
            Pause.milliseconds(1)
            let object = Model()
            let start = Usage.time
            contender.expect(object)
            registered += Usage.time - start
        }
        // Subtracts the processor time of the pauses. The clock time of a call is used as its processor time.
        let leftOut = Usage.ownProcessorTime - own - registered
        contender.finish()
        let processorTime = Usage.processorTime - processorStart - leftOut
        func each(_ sum: Int) -> Double { Double(sum) / Double(count) }
        return Cost(
            registering: each(registered), registeringProcessor: each(registered), heapBytes: 0,
            processorTime: each(processorTime))
    }
}
