import LeakHTTPServer
import LeakStore
import Testing

@testable import LeakCollector

@Suite struct SentryResponseTests {
    /// Every problem after which the project's own reporter keeps a batch and sends it again.
    private static let unavailable: [Problem] =
        [Ingest.overloadedProblem] + StoreHealth.Issue.allCases.map(\.problem)
        + [CommitQueue.Outcome.full, .stopping].compactMap(Ingest.problem)
        + [StoreError.Reason.diskFull, .databaseFull, .locked, .unavailable, .uncertain, .corrupt, .other]
        .compactMap { Ingest.problem(of: .failed(StoreError($0, "why"))) }

    @Test func `a Sentry SDK gets no response for problems after which LeakReporter sends a batch again`() {
        #expect(Self.unavailable.count == 15)
        for problem in Self.unavailable {
            #expect(problem.status == .serviceUnavailable)
            #expect(SentryResponse.response(to: problem).isWithheld)
        }
    }

    @Test(arguments: [Status.badRequest, .forbidden, .contentTooLarge, .tooManyRequests])
    func `a request that must not be sent again gets an error response`(status: Status) {
        #expect(!SentryResponse.response(to: Problem(status, "words")).isWithheld)
    }

    @Test(arguments: [
        (CommitQueue.Outcome.written(.counted), true), (.failed(StoreError(.uncertain, "why")), true),
        (.failed(StoreError(.diskFull, "why")), false), (.failed(StoreError(.unavailable, "why")), false),
        (.written(.keyReused), false), (.written(.repeated(response: [])), false), (.full, false),
        (.stopping, false),
    ])
    func `an event may have been counted only if its write succeeded, or if the result is uncertain`(
        outcome: CommitQueue.Outcome, mayHaveCounted: Bool
    ) {
        #expect(outcome.mayHaveCounted == mayHaveCounted)
    }

    @Test func `only reports over the rate limit are counted as refused, and reading the count sets it to 0`()
    {
        let rejections = SentryRejections()
        rejections.record(Problem(.forbidden, "words"), 3, of: 1)
        rejections.record(Problem(.tooManyRequests, "words"), 0, of: 1)
        #expect(rejections.takeCount(of: 1) == 0)
        rejections.record(Problem(.tooManyRequests, "words"), 3, of: 1)
        #expect(rejections.takeCount(of: 2) == 0)
        #expect(rejections.takeCount(of: 1) == 3)
        #expect(rejections.takeCount(of: 1) == 0)
    }

    @Test
    func `the response to an SDK over the rate limit says how long it must wait before it sends events`() {
        let problem = Problem(.tooManyRequests, "words").withField("Retry-After", "17")
        let fields = SentryResponse.response(to: problem).fields
        #expect(fields.contains { $0 == ("Retry-After", "17") })
        #expect(
            fields.contains {
                $0 == ("X-Sentry-Rate-Limits", "17:default;error;transaction;session:key:reports_per_second")
            })
    }
}
