/// Carries one body to the collector. It decides nothing: what an answer means is up to who posts.
///
/// Made and used on one thread of the reporter's own, where it may block up to the total of its ``TransportLimits``.
/// A redirect is not followed, since it would carry the key elsewhere: it is the answer.
package protocol Transport: AnyObject {
    func post(_ post: Post) -> Reply
}
