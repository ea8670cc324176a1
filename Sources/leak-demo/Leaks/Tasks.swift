/// Scenarios of tasks and streams that never end.
@MainActor
enum Tasks {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "tasks and streams that never end",
            scenarios: [
                Scenario(
                    "an actor in a task that polls forever", keptBy: "Task → closure → SearchSession",
                    path: ["Search"], reason: "closed"
                ) { goesWrong in
                    let session = SearchSession()
                    if goesWrong { Task { try await session.pollForEver() } }
                    return session
                },
                Scenario(
                    "a loop over a stream that never ends", keptBy: "Task → closure → AuctionScreen",
                    path: ["Offers", "Auction"], reason: "dismissed"
                ) { goesWrong in
                    let screen = AuctionScreen()
                    if goesWrong {
                        let (bids, feed) = AsyncStream.makeStream(of: Int.self)
                        screen.feed = feed
                        Task { await screen.follow(bids) }
                    }
                    return screen
                },
                Scenario(
                    "a stream's onTermination that holds its listener",
                    keptBy:
                        "AsyncStream<String>._Storage.state.onTermination → closure → ChatRoom.feed.storage → "
                        + "AsyncStream<String>._Storage",
                    path: ["Help", "Chat"], reason: "popped"
                ) { goesWrong in
                    let room = ChatRoom()
                    if goesWrong { room.feed.onTermination = { _ in Task { await room.leave() } } }
                    return room
                },
            ])
    }
}

private actor SearchSession {
    private var polls = 0

    func pollForEver() async throws {
        while true {
            polls += 1
            try await Task.sleep(nanoseconds: 60_000_000_000)
        }
    }
}

@MainActor
private final class AuctionScreen {
    private var highest = 0
    var feed: AsyncStream<Int>.Continuation?

    func follow(_ bids: AsyncStream<Int>) async {
        for await bid in bids { highest = bid }
    }
}

@MainActor
private final class ChatRoom {
    let messages: AsyncStream<String>
    let feed: AsyncStream<String>.Continuation

    init() { (messages, feed) = AsyncStream.makeStream() }

    func leave() {}
}
