"""A camera whose pictures are of the size that the tray's profile was made for, or are refused."""

from hardware.ports import Camera, DeviceError, Frame
from vision.profile import TrayProfile


class FittedCamera:
    """Another camera, with an error in the place of each picture that does not fit the profile."""

    def __init__(self, camera: Camera, profile: TrayProfile) -> None:
        self.live = camera.live
        self._camera = camera
        self._size_px = profile.width_px, profile.height_px

    def frame(self) -> Frame:
        """The next picture; DeviceError when it is of another size, beside what the camera itself raises."""
        frame = self._camera.frame()
        height_px, width_px = frame.image_bgr.shape[:2]
        if (width_px, height_px) != self._size_px:
            raise DeviceError(
                f"{frame.name or 'the camera'}: pictures of {width_px}x{height_px}, but the profile is for "
                f"{self._size_px[0]}x{self._size_px[1]}: name another profile, or make one with `mishimash calibrate`"
            )
        return frame

    def close(self) -> None:
        """Gives the device back."""
        self._camera.close()
