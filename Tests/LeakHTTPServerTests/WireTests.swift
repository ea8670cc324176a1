import LeakHTTPServer
import LeakHTTPVectors
import Testing

@Suite struct WireTests {
    @Test(arguments: [true, false])
    func `every test vector gives its expected outcome over a real socket`(isObserved: Bool) throws {
        let vectors = try Vector.all()
        #expect(Set(vectors.map(\.id)).count == vectors.count)
        let outcomes = try withServer(loops: 2, isObserved: isObserved) {
            Outcome.all(of: vectors, port: $0.port)
        }
        try #require(outcomes.count == vectors.count)
        for (vector, outcome) in zip(vectors, outcomes) {
            #expect(vector.matches(outcome.text), "\(vector): \(outcome.text), not \(vector.outcome)")
            #expect(outcome.errorsBesidesStatus(for: vector) == [], "\(vector)")
        }
    }
}
