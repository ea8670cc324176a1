extension LeakPattern {
    /// Tasks, asynchronous sequences and continuations.
    static let concurrency: [LeakPattern] = [
        LeakPattern(
            "stream_termination", name: "Termination handler of a stream",
            explanation:
                "The object keeps the continuation or the stream, which keeps the termination handler, and the handler captures the object.",
            remedy: "continuation.onTermination = { [weak self] _ in … }",
            rules: .certain(
                .of("AsyncStream.", "AsyncThrowingStream.", "_AsyncStreamStorage").from("onTermination")
                    .closure, in: .cycle)),
        LeakPattern(
            "continuation", name: "Continuation that is never resumed",
            explanation:
                "A task waits for a continuation that was never resumed, and keeps everything that its functions use.",
            remedy: """
                {holder|continuation}?.resume(throwing: CancellationError())  // on every way out, exactly once
                {holder|continuation} = nil
                """,
            rules: .certain(.of("CheckedContinuationCanary"))),
        LeakPattern(
            "endless_sequence", name: "for await that does not end",
            explanation:
                "A task that iterates an asynchronous sequence keeps the object until the sequence ends.",
            remedy: """
                {holder|task} = Task { [weak self] in
                    for await value in values { self?.receive(value) }  // no guard let self in front of the loop
                }
                """,
            rules: .certain(.of("async frames"), .of(ending: ".Iterator", ".AsyncIterator"))),
        LeakPattern(
            "stored_task", name: "Task stored in the object that it captures",
            explanation:
                "The object keeps the task, and the task keeps the object until the task ends. So `deinit` is not called while the task "
                + "runs, and cannot cancel it.",
            remedy: """
                {property|task} = Task { [weak self] in
                    while !Task.isCancelled { await self?.step() }  // or for await; no guard let self in front of the loop
                }
                """,
            rules: .certain(.any.to("Task").withoutClosure, in: .cycle)),
        LeakPattern(
            "suspended_function", name: "Async function that does not return",
            explanation:
                "An async function that does not return keeps the object: it is in a loop without an end, iterates a sequence that does "
                + "not end, or waits for a continuation that is not resumed.",
            remedy: """
                let task = Task { [weak self] in await self?.step() }
                task.cancel()  // when the object's work is done; the function has to return then
                """,
            rules: .certain(.of("async frames", "Task"), in: .held)),
    ]

    /// Patterns of global and static variables, caches, parents and observer lists, and of objects that Dispatch keeps.
    static let globals: [LeakPattern] = [
        LeakPattern(
            "static_cache", name: "Cache that still holds the object",
            explanation:
                "A cache keeps the object until the app removes it; only an NSCache may remove it earlier, when memory is short.",
            remedy:
                "{object|cache}.removeObject(forKey: key)  // when the object's work is done, or keep plain values in the cache",
            rules: .certain(.of("Foundation.NSCache", "NSCache"), in: .held),
            .probable(.ofOwn(ending: "Cache").withoutClosure, in: .held),
            .probable(.from("cache", ending: ["Cache"]).element.withoutClosure, in: .held)),
        LeakPattern(
            "singleton_handler", name: "Closure kept by a singleton",
            explanation: "A global or static variable keeps a closure, and the closure captures the object.",
            remedy: "{object|shared}.{field|handler} = { [weak self] in … }",
            rules: .certain(.any, .any.closure, in: .fromGlobal, coversWholePath: true),
            .probable(.any.closure, in: .fromGlobal)),
        LeakPattern(
            "coordinator_child", name: "Child coordinator that is never removed",
            explanation:
                "The parent coordinator keeps its children until they are removed, and the object was not removed.",
            remedy: """
                child.onFinish = { [weak self] child in self?.{list|children}.removeAll { $0 === child } }
                """,
            rules: .probable(
                .ofOwn(ending: "Coordinator", "Router").withoutClosure.to(ending: "Coordinator", "Router"),
                in: .held),
            .probable(
                .ofOwn(ending: "Coordinator").element.withoutClosure, .ofOwn(ending: "Coordinator").closure,
                in: .cycle)),
        LeakPattern(
            "singleton_observer", name: "Observer list of a singleton",
            explanation:
                "A global or static variable keeps a list of observers, and the object was not removed from it.",
            remedy: """
                private var {list|observers} = NSHashTable<AnyObject>.weakObjects()
                """,
            rules: .probable(
                .from(
                    "observers", "listeners", "delegates", "subscribers", "observables",
                    ending: ["Observers", "Listeners", "Delegates"]
                )
                .element.withoutClosure, in: .fromGlobal)),
        LeakPattern(
            "dispatch_after", name: "Block that Dispatch keeps",
            explanation:
                "Dispatch keeps a block until it has run (`asyncAfter`), and the handler of a source until the source is cancelled. The "
                + "block captures the object.",
            remedy: "DispatchQueue.main.asyncAfter(deadline: .now() + 5) { [weak self] in … }",
            rules: .probable(.of("block", "closure"), in: .held, coversWholePath: true),
            .probable(.of("OS_dispatch_*").closure, in: .held, coversWholePath: true)),
        LeakPattern(
            "global_variable", name: "Global or static variable",
            explanation:
                "A global or static variable keeps the object, directly or through other objects.",
            remedy:
                "weak var {name|current}: {target|Screen}?  // or set it to nil when the object's work is done",
            rules: .certain(.any.property, in: .fromGlobal, coversWholePath: true),
            .probable(.any, in: .fromGlobal)),
    ]
}
