import HTTPServer
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct SentryAnswerTests {
    /// Every reason for which one of our own senders keeps a batch.
    private static let unavailable: [Problem] =
        [Ingest.tooBusy] + StoreHealth.Trouble.allCases.map(\.problem)
        + [CommitQueue.Outcome.full, .stopping].compactMap(Ingest.problem)
        + [StoreError.Reason.diskFull, .databaseFull, .locked, .unavailable, .uncertain, .corrupt, .other]
        .compactMap { Ingest.problem(of: .failed(StoreError($0, "why"))) }

    @Test func `what our own senders send again is not answered at all`() {
        #expect(Self.unavailable.count == 14)
        for problem in Self.unavailable {
            #expect(problem.status == .serviceUnavailable)
            #expect(SentryAnswer.response(to: problem).isWithheld)
        }
    }

    @Test(arguments: [Status.badRequest, .forbidden, .contentTooLarge, .tooManyRequests])
    func `what is wrong with the request is said`(status: Status) {
        #expect(!SentryAnswer.response(to: Problem(status, "words")).isWithheld)
    }

    @Test func `a rate limit says for how long no event is to come`() {
        let problem = Problem(.tooManyRequests, "words").with("Retry-After", "17")
        let fields = SentryAnswer.response(to: problem).fields
        #expect(fields.contains { $0 == ("Retry-After", "17") })
        #expect(
            fields.contains {
                $0 == ("X-Sentry-Rate-Limits", "17:default;error;transaction;session:key:reports_per_second")
            })
    }
}
