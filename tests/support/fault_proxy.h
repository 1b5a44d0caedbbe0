#pragma once
// FaultProxy: stands between a client and a server of this machine that speak HTTP and WebSocket, and does to their
// connections what a test says: late, silent, reset, ended, with frames that the server did not send. One thread.

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace qa::test {

class FaultProxy {
 public:
  /// Every byte arrives `delay` later, in each direction.
  explicit FaultProxy(int server_port, std::chrono::milliseconds delay = {});
  ~FaultProxy();
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;

  int port() const { return port_; }
  /// Forwards nothing from now on, and keeps every connection.
  void stall();
  /// RST to the clients.
  void reset();
  /// FIN to the clients, and no more.
  void end();
  /// Sends these frames to the clients, between two of the server's.
  void inject(const std::string& frames);
  /// Messages that the clients have sent and the server has got, counted by frame.
  int turns() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Chunk {
    Clock::time_point due;
    std::string bytes;
  };
  struct Pair {
    int client = -1, server = -1;
    std::deque<Chunk> to_client, to_server;
    bool is_upgraded = false;
    std::size_t skip = 0;  ///< Bytes of the server's frame that are still to come.
    std::string head;      ///< Of the server's answer, or of a frame.
    std::string injected;
  };

  void run();
  void accept();
  /// False when the connection is over.
  bool read(int from, std::deque<Chunk>& into) const;
  static void write(int to, const std::string& bytes);
  void forward(Pair& pair);
  /// How many of these bytes go before the next place between two frames; all when there is none.
  static std::size_t up_to_frame_end(Pair& pair, std::string_view bytes);
  void each(const std::function<void(Pair&)>& act);
  void wake() const;

  const int server_port_;
  const std::chrono::milliseconds delay_;
  int listener_ = -1, port_ = 0, wake_[2] = {-1, -1};
  mutable std::mutex mutex_;
  bool stalled_ = false, stopping_ = false;
  int turns_ = 0;
  bool last_to_server_ = false;
  std::list<Pair> pairs_;
  std::thread thread_;
};

}  // namespace qa::test
