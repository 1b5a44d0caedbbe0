#!/usr/bin/env perl
# A model's server for tests that want to see what reaches it. Prints its port, appends each request as it came to FILE,
# and answers all of them as a chat completion. usage: catching_server.pl FILE [TEXT]
use strict;
use warnings;
use IO::Socket::INET;

my ($file, $text) = @ARGV;
$text = '{}' unless defined $text;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 16, ReuseAddr => 1) or die "cannot listen: $!";
$| = 1;
print $server->sockport, "\n";
$SIG{CHLD} = 'IGNORE';
$text =~ s/([\\"])/\\$1/g;
my $body = '{"id":"a","choices":[{"finish_reason":"stop","message":{"content":"' . $text . '"}}],'
  . '"usage":{"prompt_tokens":100,"completion_tokens":10}}';
while (my $peer = $server->accept) {
  next if fork;
  my $request = '';
  while ($request !~ /\r\n\r\n/) { sysread($peer, $request, 65536, length $request) or last; }
  my ($length) = $request =~ /content-length: *(\d+)/i;
  my $wanted = index($request, "\r\n\r\n") + 4 + ($length || 0);
  while (length $request < $wanted) { sysread($peer, $request, 65536, length $request) or last; }
  open my $log, '>>', $file or die "$file: $!";
  syswrite $log, "$request\n";
  close $log;
  print $peer "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
    . length($body) . "\r\n\r\n$body";
  exit 0;
}
