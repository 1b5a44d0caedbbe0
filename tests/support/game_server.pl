#!/usr/bin/env perl
# Serves FOLDER as some games need it: cross-origin isolated, by COOP and COEP, so that threads can share memory, and with a WebSocket on each
# address, which counts 20 times a second. Prints its port. usage: game_server.pl FOLDER; ends with its input.
use strict;
use warnings;
use Digest::SHA 'sha1_base64';
use IO::Socket::INET;

my ($folder) = @ARGV;
my %types = (html => 'text/html', js => 'text/javascript', wasm => 'application/wasm');
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 64, ReuseAddr => 1) or die "cannot listen: $!";
$| = 1;
print $server->sockport, "\n";
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = sub { exit 0 };
if (my $child = fork) {
  1 while <STDIN>;
  kill 'TERM', $child;
  exit 0;
}

sub count {
  my ($peer, $key) = @_;
  syswrite $peer, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
    . sha1_base64($key . '258EAFA5-E914-47DA-95CA-C5AB0DC85B11') . "=\r\n\r\n";
  for my $number (1 .. 1200) {
    syswrite($peer, chr(0x81) . chr(length $number) . $number) or return;
    select undef, undef, undef, 0.05;
  }
}

while (my $peer = $server->accept) {
  next if fork;
  my $request = '';
  while ($request !~ /\r\n\r\n/) { sysread($peer, $request, 65536, length $request) or last; }
  if ($request =~ /^Sec-WebSocket-Key: *(\S+)/mi) {
    count($peer, $1);
    exit 0;
  }
  my ($path) = $request =~ m{^GET /([\w./-]*)};
  $path = 'index.html' if !defined $path || $path eq '';
  my $body;
  if ($path !~ /\.\./ && open my $file, '<:raw', "$folder/$path") { local $/; $body = <$file>; }
  my ($end) = $path =~ /\.(\w+)$/;
  print $peer 'HTTP/1.1 ', (defined $body ? '200 OK' : '404 Not Found'), "\r\n",
    'Content-Type: ', $types{$end || ''} || 'application/octet-stream', "\r\n",
    "Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Embedder-Policy: require-corp\r\n",
    "Connection: close\r\nContent-Length: ", length($body // ''), "\r\n\r\n", $body // '';
  exit 0;
}
