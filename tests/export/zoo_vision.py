"""Images: residual, mobile and modern convolutions, windows, segmentation, detection, super-resolution, diffusion."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.export.zoo import Model, generator, images


class Basic(nn.Module):
    def __init__(self, before: int, after: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(after)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(after)
        self.short = (
            nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
            if stride > 1 or before != after
            else nn.Identity()
        )

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.norm(self.first(x)))
        return F.relu(self.norm2(self.second(y)) + self.short(x))


def resnet18() -> nn.Module:
    """The 18 layers of the residual network, at a quarter of its width."""
    width = 16
    layers: list[nn.Module] = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    before = width
    for stage, stride in enumerate((1, 2, 2, 2)):
        after = width << stage
        layers += [Basic(before, after, stride), Basic(after, after, 1)]
        before = after
    return _with_statistics(nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, 10)))


def _with_statistics(module: nn.Module) -> nn.Module:
    """Running means and variances as if it had been trained."""
    made = generator(7)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm1d | nn.BatchNorm2d | nn.BatchNorm3d):
            assert part.running_mean is not None and part.running_var is not None
            part.running_mean.copy_(torch.randn(part.num_features, generator=made) * 0.1)
            part.running_var.copy_(torch.rand(part.num_features, generator=made) + 0.5)
    return module


class Unet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([self.block(3, 8), self.block(8, 16), self.block(16, 32)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)])
        self.join = nn.ModuleList([self.block(32, 16), self.block(16, 8)])
        self.last = nn.Conv2d(8, 2, 1)

    @staticmethod
    def block(before: int, after: int) -> nn.Module:
        return nn.Sequential(
            nn.Conv2d(before, after, 3, 1, 1), nn.InstanceNorm2d(after, affine=True), nn.LeakyReLU(0.1)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        kept = []
        for index, block in enumerate(self.down):
            x = block(x)
            if index < 2:
                kept.append(x)
                x = F.max_pool2d(x, 2)
        for up, join in zip(self.up, self.join, strict=True):
            x = join(torch.cat([up(x), kept.pop()], 1))
        found = self.last(x)
        return found.log_softmax(1), found.argmax(1)


class Mobile(nn.Module):
    """Depthwise convolutions with squeeze and excitation."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.Hardswish())
        self.depth = nn.Conv2d(8, 8, 5, 1, 2, groups=8)
        self.squeeze = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1), nn.ReLU6(), nn.Conv2d(4, 8, 1), nn.Hardsigmoid()
        )
        self.head = nn.Sequential(nn.Dropout(0.2), nn.Linear(8, 5))

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        y = self.depth(x)
        y = x + y * self.squeeze(y)
        return self.head(y.mean([2, 3]))


class Convnext(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 12, 4, 4)
        self.depth = nn.Conv2d(12, 12, 7, padding=3, groups=12)
        self.norm = nn.LayerNorm(12)
        self.wide, self.narrow = nn.Linear(12, 48), nn.Linear(48, 12)
        self.scale = nn.Parameter(torch.full((12,), 0.1))

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        y = self.norm(self.depth(x).permute(0, 2, 3, 1))
        y = self.narrow(F.gelu(self.wide(y), approximate="tanh")) * self.scale
        return (x + y.permute(0, 3, 1, 2)).flatten(2).amax(-1)


class Windows(nn.Module):
    """Attention within windows that are shifted, with biases looked up by relative positions."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, 16, 4, 4)
        self.norm = nn.LayerNorm(16)
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.table = nn.Parameter(torch.randn(49, 2, generator=generator(3)))
        where = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        apart = where[:, :, None] - where[:, None, :] + 3
        self.register_buffer("index", apart[0] * 7 + apart[1])

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x).permute(0, 2, 3, 1)
        b, h, w, c = x.shape
        y = torch.roll(self.norm(x), (-2, -2), (1, 2))
        y = y.view(b, h // 4, 4, w // 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        q, k, v = self.qkv(y).reshape(-1, 16, 3, 2, 8).permute(2, 0, 3, 1, 4).unbind(0)
        bias = self.table[self.index.flatten()].view(16, 16, 2).permute(2, 0, 1)
        weights = (q @ k.transpose(-2, -1) * 8**-0.5 + bias).softmax(-1)
        y = self.out((weights @ v).transpose(1, 2).reshape(-1, 16, c))
        y = y.view(b, h // 4, w // 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        return x + torch.roll(y, (2, 2), (1, 2))


class Pyramid(nn.Module):
    """Features of several scales, joined by bilinear and bicubic upsampling, and pooled to several sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, 8, 3, 2, 1), nn.Conv2d(8, 8, 3, 2, 2, dilation=2)
        self.side = nn.Conv2d(8, 8, 1)
        self.pools = nn.ModuleList([nn.AdaptiveAvgPool2d(size) for size in (1, 3)])
        self.last = nn.Conv2d(24, 3, 3, padding=1, padding_mode="replicate")

    def forward(self, x: Tensor) -> Tensor:
        a = F.elu(self.first(x))
        b = F.celu(self.second(a))
        parts = [F.interpolate(pool(b), a.shape[2:], mode="bilinear") for pool in self.pools]
        a = self.side(a) + F.interpolate(b, a.shape[2:], mode="bilinear", align_corners=True)
        y = self.last(torch.cat([a, *parts], 1))
        return F.interpolate(y, scale_factor=2.0, mode="bicubic").sigmoid()


class Detector(nn.Module):
    """Boxes from anchors: the best of each image, decoded and clipped."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.Mish())
        self.boxes, self.scores = nn.Conv2d(8, 4, 1), nn.Conv2d(8, 6, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        y = self.body(x)
        h, w = y.shape[2], y.shape[3]
        rows, columns = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        centre = (torch.stack((columns, rows), -1).reshape(-1, 2).to(x.dtype) + 0.5) * 4
        deltas = self.boxes(y).flatten(2).transpose(1, 2)
        scores, labels = self.scores(y).flatten(2).transpose(1, 2).sigmoid().max(-1)
        middle = centre + deltas[..., :2].tanh() * 8
        size = deltas[..., 2:].clamp(max=math.log(1000 / 16)).exp() * 8
        boxes = torch.cat((middle - size / 2, middle + size / 2), -1).clamp(0, 32)
        best, which = scores.topk(5, 1)
        chosen = torch.gather(boxes, 1, which.unsqueeze(-1).expand(-1, -1, 4))
        area = (chosen[..., 2] - chosen[..., 0]) * (chosen[..., 3] - chosen[..., 1])
        low = torch.maximum(chosen[:, :, None, :2], chosen[:, None, :, :2])
        high = torch.minimum(chosen[:, :, None, 2:], chosen[:, None, :, 2:])
        shared = (high - low).clamp(min=0).prod(-1)
        overlap = shared / (area[:, :, None] + area[:, None, :] - shared)
        return chosen, best, labels.gather(1, which), overlap.triu(1)


class Upscaler(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pad = nn.ReflectionPad2d(2)
        self.first, self.slope = nn.Conv2d(3, 8, 5), nn.PReLU(8)
        self.body = nn.ModuleList([nn.Conv2d(8, 8, 3, padding=1) for _ in range(2)])
        self.last, self.shuffle = nn.Conv2d(8, 12, 3, padding=1), nn.PixelShuffle(2)

    def forward(self, x: Tensor) -> Tensor:
        y = self.slope(self.first(self.pad(x)))
        for layer in self.body:
            y = y + 0.2 * F.leaky_relu(layer(y), 0.2)
        y = self.shuffle(self.last(y))
        return torch.clamp(y + F.interpolate(x, scale_factor=2.0, mode="nearest"), -2.0, 2.0)


class Warped(nn.Module):
    """A spatial transformer: where to look is computed, then sampled."""

    def __init__(self) -> None:
        super().__init__()
        self.where = nn.Sequential(
            nn.Conv2d(1, 4, 5, 2), nn.ReLU(), nn.AdaptiveMaxPool2d(2), nn.Flatten(), nn.Linear(16, 6)
        )

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        eye = torch.tensor([1.0, 0, 0, 0, 1, 0], dtype=x.dtype)
        theta = (eye + 0.1 * self.where(x).tanh()).view(-1, 2, 3)
        grid = F.affine_grid(theta, [x.shape[0], 1, 16, 16], align_corners=False)
        seen = F.grid_sample(x, grid, padding_mode="border", align_corners=False)
        return seen, F.grid_sample(x, grid * 0.9, mode="nearest", align_corners=True)


class Denoiser(nn.Module):
    """One step of diffusion: a time is embedded, images are noised features with attention among pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16))
        self.first, self.second = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)
        self.norm, self.norm2 = nn.GroupNorm(4, 16), nn.GroupNorm(4, 16)
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)
        self.down, self.last = nn.Conv2d(16, 16, 3, 2, 1), nn.Conv2d(16, 3, 3, padding=1)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        half = torch.exp(-math.log(10000.0) * torch.arange(8, dtype=x.dtype) / 8)
        angles = time[:, None].to(x.dtype) * half[None]
        embedded = self.time(torch.cat([angles.sin(), angles.cos()], -1))
        y = self.down(self.first(x))
        y = self.second(F.silu(self.norm(y))) + embedded[:, :, None, None]
        flat = self.norm2(y).flatten(2).transpose(1, 2)
        y = y + self.attention(flat, flat, flat, need_weights=False)[0].transpose(1, 2).reshape(y.shape)
        y = F.interpolate(y, scale_factor=2.0, mode="nearest")
        noise = self.last(y)
        level = torch.rsqrt(1 + time.to(x.dtype) * 0.01).view(-1, 1, 1, 1)
        return (x - noise * (1 - level**2).sqrt()) / level


class Volumes(nn.Module):
    """Three dimensions: convolution without bias, pooling with windows that do not divide."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv3d(1, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm3d(4)
        self.pool, self.mean = nn.MaxPool3d(2, ceil_mode=True), nn.AvgPool3d(2, 1, 1, count_include_pad=False)
        self.last = nn.AdaptiveAvgPool3d((2, 3, 1))

    def forward(self, x: Tensor) -> Tensor:
        y = F.softplus(self.norm(self.first(F.pad(x, (1, 1, 0, 1, 1, 0), value=0.5))))
        return F.softmin(self.last(self.mean(self.pool(y))).flatten(1), -1)


BATCH = ({0: "batch"},)
MODELS = (
    Model("resnet18", resnet18, images(3, 32), BATCH),
    Model("unet", Unet, images(3, 16), BATCH),
    Model("mobile", lambda: _with_statistics(Mobile()), images(3, 16), BATCH),
    Model("convnext", Convnext, images(3, 32), BATCH),
    Model("windows", Windows, images(3, 32), BATCH),
    Model("pyramid", Pyramid, images(3, 21), BATCH),
    Model(
        "detector", Detector, images(3, 32), BATCH, more=1, why="limits that are tensors may be nan, which Clip loses"
    ),
    Model("upscaler", Upscaler, images(3, 9), BATCH),
    Model("warped", Warped, images(1, 20), BATCH, more=3, why="places of the greatest elements, which nobody reads"),
    Model(
        "denoiser",
        Denoiser,
        lambda n: (torch.randn(n, 3, 8, 8, generator=generator(n)), torch.arange(n) * 17 + 3),
        ({0: "batch"}, {0: "batch"}),
    ),
    Model(
        "volumes",
        lambda: _with_statistics(Volumes()),
        lambda n: (torch.randn(n, 1, 6, 7, 5, generator=generator(n)),),
        BATCH,
    ),
)
