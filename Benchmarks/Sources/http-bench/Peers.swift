import Foundation
import LoadTools

/// The core of the server and the core of the load: nothing else should run on them.
enum Core {
    static let server = 0
    static let load = 1
}

/// A server under load: ours or nginx.
struct Peer {
    var process: ServerProcess
    var port: Int

    static func ours(program: String, files: String) throws -> Peer {
        let process = try ServerProcess(
            program, ["--port", "0", "--files", files, "--observers", "off"], core: Core.server)
        return Peer(process: process, port: try process.announcedPort())
    }

    /// nginx with one worker that does the same work: it echoes bodies from memory
    /// (https://github.com/openresty/echo-nginx-module) and sends the file with sendfile.
    static func nginx(folder: String, files: String) throws -> Peer {
        let port = try freePort()
        guard let module = modules.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            throw Failure("nginx's echo module is missing: apt-get install libnginx-mod-http-echo")
        }
        let configuration = """
            load_module \(module);
            daemon off;
            master_process off;
            worker_processes 1;
            worker_rlimit_nofile 8192;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log crit;
            events { worker_connections 4096; }
            http {
                access_log off;
                server_tokens off;
                default_type text/plain;
                sendfile on;
                tcp_nopush on;
                tcp_nodelay on;
                open_file_cache max=16 inactive=1h;
                open_file_cache_valid 1h;
                keepalive_requests 1000000000;
                keepalive_timeout 1h;
                client_max_body_size 4m;
                client_body_buffer_size 2m;
                client_body_temp_path \(folder)/body;
                proxy_temp_path \(folder)/proxy;
                fastcgi_temp_path \(folder)/fastcgi;
                uwsgi_temp_path \(folder)/uwsgi;
                scgi_temp_path \(folder)/scgi;
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                    location / { echo_read_request_body; echo_request_body; }
                    location = /empty { return 200 ""; }
                    location = /discard { return 200 ""; }
                    location = /\(Load.fileName) { root \(files); }
                }
            }
            """
        let path = "\(folder)/nginx.conf"
        try configuration.write(toFile: path, atomically: true, encoding: .utf8)
        let process = try ServerProcess("nginx", ["-p", folder, "-c", path], core: Core.server)
        for _ in 0..<100 where Connection.open(port: port) == nil {
            guard process.isRunning else { throw Failure("nginx did not start; its reason is above") }
            usleep(50_000)
        }
        return Peer(process: process, port: port)
    }

    private static let modules = [
        "/usr/lib/nginx/modules", "/usr/share/nginx/modules", "/usr/lib64/nginx/modules",
    ]
    .map { "\($0)/ngx_http_echo_module.so" }

    /// Returns a port on which no process listens now.
    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = Connection.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard code == 0 else { throw Failure("no port is free") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
