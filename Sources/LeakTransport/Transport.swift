/// Sends requests to the collector. It does not interpret responses; that is up to the caller.
///
/// Created and used on one of the reporter's own threads, where it may block up to the total time of its ``TransportLimits``.
/// Redirects are not followed, because they would send the key to another host: the redirect is the response.
package protocol Transport: AnyObject {
    func post(_ post: Post) -> Reply
}
