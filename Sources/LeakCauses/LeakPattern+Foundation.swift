extension LeakPattern {
    /// Foundation, Dispatch and Network, display links and live database queries.
    static let foundation: [LeakPattern] = [
        LeakPattern(
            "display_link", name: "Display link that keeps its target",
            explanation:
                "The run loop keeps the display link, and the display link keeps its target until `invalidate()`.",
            remedy: """
                {holder|displayLink} = CADisplayLink(target: WeakTarget(self), selector: #selector(WeakTarget.tick))
                {holder|displayLink}.invalidate()  // when the view leaves the window; deinit would be too late
                """,
            rules: .certain(.of("CADisplayLink")), .probable(.of("CVDisplayLink"))),
        LeakPattern(
            "timer_block", name: "Timer whose block captures its owner",
            explanation:
                "The run loop keeps the timer, and the timer's block captures the object until `invalidate()`.",
            remedy:
                "{holder|timer} = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in … }",
            rules: .certain(.of("Foundation.Timer", "NSTimer", "__NSCFTimer").closure),
            .certain(.of("_NSTimerBlockTarget"))),
        LeakPattern(
            "timer_target", name: "Timer that keeps its target",
            explanation:
                "The run loop keeps the timer, and the timer keeps its target until `invalidate()`. So `deinit` of the target is not "
                + "called, and cannot call `invalidate()`.",
            remedy: """
                {holder|timer} = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] _ in … }
                {holder|timer}.invalidate()  // in deinit
                """,
            // Outside of a cycle, the rule is only probable: the run loop also holds timers for `perform(_:with:afterDelay:)`.
            rules: .certain(
                .of("Foundation.Timer", "NSTimer", "__NSCFTimer").from(not: "userInfo").withoutClosure,
                in: .cycle),
            .probable(.of("Foundation.Timer", "NSTimer", "__NSCFTimer").from(not: "userInfo").withoutClosure)),
        LeakPattern(
            "notification_observer", name: "Observer block of NotificationCenter",
            explanation:
                "The notification center keeps the block until its token is removed, and the block captures the object.",
            remedy: """
                {holder|observer} = NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { [weak self] _ in … }
                NotificationCenter.default.removeObserver({holder|observer})  // in deinit
                """,
            rules: .certain(
                .of(
                    "NotificationCenter", "NotificationCenter.", "NSNotificationCenter", "__NSObserver",
                    "__CFNotification", "_CFXNotification*"
                ).closure)),
        LeakPattern(
            "notification_token", name: "Token of a live database query",
            explanation:
                "The object keeps the token, and the token's closure, which runs after each change, captures the object.",
            remedy: "{holder|token} = results.observe { [weak self] changes in … }",
            rules: .certain(
                .of(
                    "RLMNotificationToken", "RealmSwift.NotificationToken", "RLMCollectionNotificationToken",
                    "RLMObjectNotificationToken", "FIRListenerRegistration", "FSTListenerRegistration",
                    "FirebaseFirestore.ListenerRegistration"
                ).closure, in: .cycle)),
        LeakPattern(
            "key_value_observation", name: "Key-value observation",
            explanation:
                "The observation keeps its closure until it is invalidated, and the closure captures the object.",
            remedy: "{holder|observation} = player.observe(\\.status) { [weak self] _, _ in … }",
            rules: .certain(.of("NSKeyValueObservation", "NSKeyValueObservation."), in: .cycle),
            .probable(
                .of(ending: "KVOInfo", "KVOObservation", "KVOObserver", "KeyValueObserver").closure)),
        LeakPattern(
            "url_session_delegate", name: "Delegate of a URLSession",
            explanation: "A URLSession keeps its delegate until it is invalidated.",
            remedy:
                "{holder|session}.finishTasksAndInvalidate()  // after you start the last task, and not in deinit, which is not called until then",
            rules: .certain(
                .of(
                    "URLSession", "NSURLSession", "__NSURLSession*", "__NSCFURLSession*",
                    "__NSURLBackgroundSession"
                ).from("delegate", "sessionDelegate"))),
        LeakPattern(
            "operation_block", name: "Block of an operation",
            explanation:
                "The operation keeps its block or completion block, which captures the operation or the object that keeps it.",
            remedy: """
                {holder|operation} = BlockOperation { [weak self] in … }
                {holder|operation}.completionBlock = { [weak self] in … }
                """,
            rules: .certain(
                .of("BlockOperation", "NSBlockOperation", "Foundation.Operation", "NSOperation").closure),
            .probable(.ofOwn(ending: "Operation").from("completionBlock").closure)),
        LeakPattern(
            "work_item", name: "Dispatch work item",
            explanation:
                "A work item keeps its block after it ran or was cancelled, and the block captures the object that keeps the item.",
            remedy: "{holder|workItem} = DispatchWorkItem { [weak self] in … }",
            rules: .certain(.of("DispatchWorkItem", "OS_dispatch_block").closure)),
        LeakPattern(
            "dispatch_source", name: "Event handler of a dispatch source",
            explanation:
                "The source keeps its handlers until it is cancelled, and a handler captures the object that keeps the source.",
            remedy: """
                {holder|source}.setEventHandler { [weak self] in … }
                {holder|source}.cancel()  // in deinit
                """,
            rules: .certain(
                .of("OS_dispatch_source", "OS_dispatch_source_timer").closure, in: .cycle),
            .certain(
                .of("Dispatch.DispatchSource", "OS_dispatch_source_read", "OS_dispatch_source_write").closure),
            .probable(.any, .of("OS_dispatch_source", "OS_dispatch_source_timer").closure)),
        LeakPattern(
            "undo_manager", name: "Action of an undo manager",
            explanation:
                "The undo manager keeps the closures of its actions until they are removed, and one of them captures the object.",
            remedy:
                "{holder|undoManager}.registerUndo(withTarget: self) { target in … }  // use target, not self",
            rules: .certain(.of("Foundation.UndoManager", "NSUndoManager"), in: .cycle),
            .probable(.of("Foundation.UndoManager", "NSUndoManager"), in: .closure)),
        LeakPattern(
            "network_handler", name: "Handler of a network connection",
            explanation:
                "The connection or path monitor keeps its handler until it is cancelled, and the handler captures the owner of the "
                + "connection or monitor.",
            remedy: """
                {holder|connection}.{field|stateUpdateHandler} = { [weak self] state in … }
                {holder|connection}.cancel()  // in deinit
                """,
            rules: .certain(
                .of(
                    "NWConnection", "NWPathMonitor", "NWListener", "NWBrowser", "NWConnectionGroup", "OS_nw_*"
                ).closure)),
    ]
}
