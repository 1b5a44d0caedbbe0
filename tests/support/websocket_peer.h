#pragma once
// WebSocketPeer: the server's end of one WebSocket, byte by byte as a test says. It accepts in a thread of its own;
// everything else runs in the test's thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace qa::test {

class WebSocketPeer {
 public:
  enum : std::uint8_t { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };
  struct Frame {
    int opcode = 0;
    std::string payload;
  };

  /// `answer`: what the upgrade gets instead of 101; "" for 101.
  explicit WebSocketPeer(std::string answer = "");
  ~WebSocketPeer();
  WebSocketPeer(const WebSocketPeer&) = delete;
  WebSocketPeer& operator=(const WebSocketPeer&) = delete;

  /// "ws://127.0.0.1:PORT/path".
  std::string url(const std::string& path = "/devtools/browser/1") const;
  /// After the client has connected: the head of its request.
  const std::string& request();

  /// The bytes of a frame as a server sends it.
  static std::string frame(int opcode, std::string_view payload, bool is_last = true);
  void send(std::string_view bytes);
  /// All frames that have come in so far, each given out once.
  std::vector<Frame> take_frames();
  /// RST.
  void reset();
  /// FIN without a close frame; also stops reading.
  void end();
  void stop_reading();

 private:
  void accept();

  const std::string answer_;
  int listener_ = -1, socket_ = -1, port_ = 0;
  std::string request_, inbox_;
  std::thread accepting_;
};

}  // namespace qa::test
