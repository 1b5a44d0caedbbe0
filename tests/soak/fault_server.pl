#!/usr/bin/env perl
# Serves FOLDER with one fault in it: the kind FAULT is built into the page ENTRY, or into what is answered for other files. Prints its port.
# usage: fault_server.pl FOLDER ENTRY FAULT; ends with its input. Without a fault ("none") the game is served as it is.
use strict;
use warnings;
use IO::Socket::INET;

my ($folder, $entry, $fault) = @ARGV;
my %types = (html => 'text/html', htm => 'text/html', js => 'text/javascript', mjs => 'text/javascript', css => 'text/css', svg => 'image/svg+xml',
  png => 'image/png', jpg => 'image/jpeg', jpeg => 'image/jpeg', gif => 'image/gif', webp => 'image/webp', json => 'application/json',
  wasm => 'application/wasm', mp3 => 'audio/mpeg', ogg => 'audio/ogg', wav => 'audio/wav');
my $pictures = qr/\.(?:png|jpe?g|gif|webp|svg)$/i;

# Script that runs before the game's own. `inputs` are the kinds of events that a player causes.
my $inputs = q{["keydown", "keyup", "keypress", "mousedown", "mouseup", "mousemove", "click", "pointerdown", "pointerup", "pointermove", "touchstart",
  "touchmove", "touchend", "wheel", "input", "change", "dragstart", "drop"]};
my $swallow = "event.stopImmediatePropagation(); event.preventDefault();";
my %first = (
  input_throws => qq{for (const kind of $inputs) addEventListener(kind, (event) => { $swallow throw new Error("injected: " + kind); }, true);},
  input_dead => qq{for (const kind of $inputs) addEventListener(kind, (event) => { $swallow }, { capture: true, passive: false });},
  # The first gesture goes through: up to the end of the first key or click.
  input_dies => qq{let over = false, done = false;
    for (const kind of $inputs) addEventListener(kind, (event) => {
      if (done) { $swallow }
      if (/^(keyup|click|touchend)\$/.test(kind)) over = true;
      if (over) setTimeout(() => { done = true; }, 50);
    }, { capture: true, passive: false });},
  time_dies => qq{let stopped = false;
    for (const kind of ["keydown", "mousedown", "pointerdown", "touchstart"]) addEventListener(kind, () => { stopped = true; }, true);
    const alive = (callback) => (...args) => { if (!stopped) return typeof callback == "function" ? callback(...args) : eval(callback); };
    for (const name of ["requestAnimationFrame", "setTimeout", "setInterval"]) {
      const own = window[name].bind(window);
      window[name] = (callback, ...rest) => own(alive(callback), ...rest);
    }},
  draws_nothing => qq{for (const own of [CanvasRenderingContext2D, window.WebGLRenderingContext, window.WebGL2RenderingContext])
    for (const name of Object.getOwnPropertyNames(own.prototype))
      if (/^(draw|fill|stroke|put|clear\$)/.test(name) && typeof Object.getOwnPropertyDescriptor(own.prototype, name).value == "function")
        own.prototype[name] = () => {};},
  alerts => q{setTimeout(() => { for (;;) alert("injected"); }, 1500);},
  script_loop => q{setTimeout(() => { for (;;); }, 1500);},
  memory => q{setTimeout(() => { const kept = []; for (;;) kept.push(new Array(4e6).fill(kept.length + 0.5)); }, 1500);},
  about_blank => q{setTimeout(() => { location.href = "about:blank"; }, 1500);},
  other_site => q{setTimeout(() => { location.href = "http://localhost:" + location.port + "/elsewhere"; }, 1500);},
  reloads => q{setTimeout(() => location.reload(), 4000);},
  exception_once => q{setTimeout(() => { throw new Error("injected: once"); }, 0);},
  console_flood => q{setInterval(() => { for (let i = 0; i < 50; i++) console.error("injected: " + i); }, 100);},
  popup => q{addEventListener("mousedown", () => open("/elsewhere"), { once: true }); addEventListener("keydown", () => open("/elsewhere"), { once: true });},
  two_frames => q{window.requestAnimationFrame = (callback) => setTimeout(() => callback(performance.now()), 500);
    window.cancelAnimationFrame = (id) => clearTimeout(id);},
);
my $loader = '<style>@keyframes turn { to { transform: rotate(1turn) } }</style><div style="position:fixed;inset:0;background:#223;color:#fff;'
  . 'z-index:2147483647;display:grid;place-content:center;font:24px sans-serif"><div style="width:48px;height:48px;border:6px solid #fff;'
  . 'border-top-color:transparent;border-radius:50%;animation:turn 1s linear infinite"></div><p>Loading...</p></div>';

# The page with its fault.
sub page {
  my ($html) = @_;
  my $head = $first{$fault} ? "<script>(() => { $first{$fault} })();</script>" : '';
  $head = '<script src="/never.js" async></script><img src="/never.png" alt="">' if $fault eq 'never_answers';
  if ($fault eq 'loader') {
    # The game's own scripts never come.
    $html =~ s{<script\b.*?</script>}{}gis;
    $html =~ s{(<body[^>]*>)}{$1$loader}i or $html .= $loader;
  }
  # Behind the document's type, else the page is drawn by other rules.
  $html =~ s{(<head[^>]*>)}{$1$head}i or $html =~ s{(<html[^>]*>)}{$1$head}i or $html =~ s{(<!doctype[^>]*>)}{$1$head}i or $html = $head . $html;
  return $html;
}

# The last script of the page: its address where it has one; else its text is changed.
my $last_script = '';
sub find_last_script {
  my ($html) = @_;
  my @all = $html =~ m{<script\b([^>]*)>}gi;
  for my $attributes (reverse @all) {
    if ($attributes =~ m{\bsrc\s*=\s*["']?([^"'\s>]+)}i) {
      my $src = $1;
      next if $src =~ m{^(?:https?:)?//};
      $src =~ s/[?#].*//;
      return $src;
    }
  }
  return '';
}

sub read_file {
  my ($path) = @_;
  return undef if $path =~ m{(?:^|/)\.\.(?:/|$)};
  open my $file, '<:raw', "$folder/$path" or return undef;
  local $/;
  return <$file>;
}

my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 64, ReuseAddr => 1) or die "cannot listen: $!";
$| = 1;
my $html = read_file($entry) // die "$folder/$entry cannot be read\n";
if ($fault =~ /^last_script/) {
  $last_script = find_last_script($html) || die "no script of $entry is a file of its own\n";
  $last_script = ($entry =~ m{^(.*/)} ? $1 : '') . $last_script;
  1 while $last_script =~ s{(^|/)\./}{$1} || $last_script =~ s{(^|/)[^/]+/\.\./}{$1};
}
die "no such fault: $fault\n" unless $first{$fault} || $fault =~ /^(?:none|loader|last_script_throws|last_script_404|never_answers|pictures_404)$/;
print $server->sockport, "\n";
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = sub { exit 0 };
if (my $child = fork) {
  1 while <STDIN>;
  kill 'TERM', $child;
  exit 0;
}

sub answer {
  my ($path) = @_;
  return ('200 OK', 'text/html', '<!doctype html><title>elsewhere</title><p>Another site.') if $path eq 'elsewhere';
  my $is_last = $last_script ne '' && $path eq $last_script;
  my $body = read_file($path);
  my ($end) = $path =~ /\.(\w+)$/;
  my $type = $types{lc($end || '')} || 'application/octet-stream';
  return ('404 Not Found', 'text/plain', 'not found') if !defined $body || $fault eq 'last_script_404' && $is_last
    || $fault eq 'pictures_404' && $path =~ $pictures;
  $body = 'throw new Error("injected: the last script");' . "\n" . $body if $fault eq 'last_script_throws' && $is_last;
  $body = page($body) if $path eq $entry;
  return ('200 OK', $type, $body);
}

while (my $peer = $server->accept) {
  next if fork;
  my $request = '';
  while ($request !~ /\r\n\r\n/) { sysread($peer, $request, 65536, length $request) or exit 0; }
  my ($path) = $request =~ m{^\w+ /([^ ?#]*)};
  $path =~ s/%([0-9a-fA-F]{2})/chr hex $1/ge;
  $path = $entry if $path eq '';
  if ($path =~ /^never\./) {
    # Until the other side ends it.
    1 while sysread $peer, my $more, 65536;
    exit 0;
  }
  my ($status, $type, $body) = answer($path);
  print $peer "HTTP/1.1 $status\r\nContent-Type: $type\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: ", length $body,
    "\r\n\r\n", $body;
  exit 0;
}
